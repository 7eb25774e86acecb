// A click on a figure shows it as wide as the window, or wider: a telephone scrolls in it. Without
// this script its link opens the picture alone.
const dialog = document.createElement("dialog");
dialog.addEventListener("click", () => dialog.close());
document.body.append(dialog);
for (const figure of document.querySelectorAll("article a > img")) {
  figure.parentElement.addEventListener("click", (event) => {
    event.preventDefault();
    const larger = figure.cloneNode();
    larger.removeAttribute("style");
    const close = document.createElement("button");
    close.textContent = "Close";
    dialog.replaceChildren(close, larger);
    dialog.showModal();
  });
}
