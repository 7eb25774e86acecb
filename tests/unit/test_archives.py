"""Archives of others: what could lead out of a folder or fill a disk is refused beforehand."""

import gzip
import stat
import struct
import zipfile

import pytest

from crowdgold.system.archives import ArchiveError, read_gzip, zip_members


def made(path, *members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good/a.txt", "a")
        for name, content in members:
            archive.writestr(name, content)
    return path


def special(name, kind):
    member = zipfile.ZipInfo(name)
    member.external_attr = (kind | 0o644) << 16
    return member


def test_members_come_in_the_order_of_their_names_without_folders(tmp_path):
    path = made(tmp_path / "a.zip", ("good/", ""), ("before.txt", "b"), ("..good/..x", "c"))
    assert list(zip_members(path, 100)) == [
        ("..good/..x", b"c"), ("before.txt", b"b"), ("good/a.txt", b"a"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../x", "leads out"),
        ("good/../../x", "leads out"),
        ("good/..", "leads out"),
        ("/etc/x", "absolute"),
        ("C:/x", "absolute"),
        ("good\\..\\x", "backslash"),
        (special("link", stat.S_IFLNK), "a link or a device"),
        (special("pipe", stat.S_IFIFO), "a link or a device"),
        (special("disk", stat.S_IFBLK), "a link or a device"),
    ],
)
def test_a_member_that_leads_out_is_named_and_nothing_is_unpacked(tmp_path, name, why):
    members = zip_members(made(tmp_path / "a.zip", (name, "/etc/passwd")), 100)
    with pytest.raises(ArchiveError, match=rf"a\.zip: member .*{why}.*; not unpacked"):
        next(members)


def test_a_member_that_is_there_twice(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = made(tmp_path / "a.zip", ("good/a.txt", "another"))
    with pytest.raises(ArchiveError, match=r"'good/a\.txt' is there twice"):
        next(zip_members(path, 100))


def test_a_bomb_is_not_unpacked(tmp_path):
    """Ten members of a megabyte, a kilobyte each as they are packed."""
    path = made(tmp_path / "a.zip", *((f"{k}", bytes(10**6)) for k in range(10)))
    assert path.stat().st_size < 20_000
    with pytest.raises(ArchiveError, match="more than 9,000,000 bytes"):
        next(zip_members(path, 9_000_000))
    assert len(list(zip_members(path, 10_000_001))) == 11


def test_a_bomb_that_declares_a_small_size_gives_no_more(tmp_path):
    path = made(tmp_path / "a.zip", ("big", bytes(10**6)))
    content, size = path.read_bytes(), struct.pack("<I", 10**6)
    assert content.count(size) == 2, "the member's own header and that of the directory"
    path.write_bytes(content.replace(size, struct.pack("<I", 10)))
    with pytest.raises(ArchiveError, match="no readable zip file"):
        list(zip_members(path, 100))


@pytest.mark.parametrize("fault", ["truncated", "flipped", "empty", "no zip"])
def test_a_damaged_zip_file_is_named(tmp_path, fault):
    path = made(tmp_path / "a.zip", ("b", "some text " * 50))
    content = bytearray(path.read_bytes())
    if fault == "flipped":
        place = content.index(b"b", content.index(b"PK\3\4", 4) + 30) + 5
        content[place] ^= 255
    path.write_bytes(
        {"truncated": content[:-30], "flipped": content, "empty": b"", "no zip": b"x" * 99}[fault]
    )
    with pytest.raises(ArchiveError, match=r"a\.zip is no readable zip file"):
        list(zip_members(path, 10_000))


def test_gzip(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(bytes(1000)))
    assert read_gzip(path, 1000) == bytes(1000)
    with pytest.raises(ArchiveError, match=r"a\.gz would unpack to more than 999 bytes"):
        read_gzip(path, 999)
    for broken in (path.read_bytes()[:-9], b"junk"):
        path.write_bytes(broken)
        with pytest.raises(ArchiveError, match=r"a\.gz is no readable gzip file"):
            read_gzip(path, 1000)
