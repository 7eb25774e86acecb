"""A web host on this machine."""

import contextlib
import functools
import http.server
import threading


@contextlib.contextmanager
def served(folder):
    """The address at which a folder is served, and the requests seen so far."""
    seen = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            seen.append(f"{self.command} {self.path}")

    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", seen
        server.shutdown()
