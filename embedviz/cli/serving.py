"""The commands that start the app: open, for one person; serve, for a class or a team."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote, urlsplit

import segno
import typer

from embedviz import catalog
from embedviz.cli.arguments import Device, Encoding, Refused, SkipBad
from embedviz.cli.opening import is_saved, recipe_of, refuse_choices, refuse_encoding, with_file_options
from embedviz.cli.output import progress
from embedviz.core import device as devices
from embedviz.core import limits
from embedviz.core.login_file import CALLBACK, LoginFileError, LoginSettings, login_of
from embedviz.core.network import own_ip
from embedviz.core.options import OptionError
from embedviz.core.password_file import password_of
from embedviz.core.phrases import counted, visible
from embedviz.core.space import open_folder
from embedviz.files import addresses, named_sources
from embedviz.jobs import cluster

if TYPE_CHECKING:
    from embedviz.formats import ReadOptions


@with_file_options
def open_app(
    space: Annotated[
        str | None,
        typer.Argument(help="The space to open: a file, a folder or an address. Default: the built-in space."),
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the app.", min=1, max=65535)] = 8501,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    skip_bad: SkipBad = False,
    encoding: Encoding = "",
    device: Device = "",
    *,
    options: Any,
) -> None:
    """Open the app, with a file of any size or with a space."""
    with devices.using(device):
        start_app(space, port, browser=not no_browser, skip_bad=skip_bad, encoding=encoding, choices=options)


class LogForm(StrEnum):
    """The form of a server's log: lines of text, or JSON."""

    LINES = "lines"
    JSON = "json"


def serve(
    space: Annotated[
        str | None,
        typer.Argument(help="The space that the printed address opens: a file, a folder or an address."),
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the server.", min=1, max=65535)] = 8501,
    address: Annotated[str, typer.Option(help="Network interface to listen on; 0.0.0.0: all of them.")] = "0.0.0.0",  # noqa: S104
    base_path: Annotated[str, typer.Option(help="Path of the server behind a proxy, such as /embedviz.")] = "",
    password_file: Annotated[
        Path | None,
        typer.Option(
            help="File whose first line is the password of all visitors.",
            dir_okay=False,
            envvar="EMBEDVIZ_PASSWORD_FILE",
        ),
    ] = None,
    oidc: Annotated[
        Path | None,
        typer.Option(
            help="TOML file of the login by account (OpenID Connect). See docs/operating.md.",
            dir_okay=False,
            envvar="EMBEDVIZ_OIDC_FILE",
        ),
    ] = None,
    upload_mb: Annotated[
        int, typer.Option(help="Largest upload, in megabytes.", min=1, max=2_000)
    ] = limits.UPLOAD_MEGABYTES,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Visitors can save, rename and delete nothing on the server.")
    ] = False,
    log: Annotated[
        LogForm, typer.Option(help="Form of the log on standard error.", envvar="EMBEDVIZ_LOG")
    ] = LogForm.LINES,
    sources: Annotated[
        Path | None,
        typer.Option(
            help="File that names the vectors elsewhere that visitors may read.",
            dir_okay=False,
            envvar=named_sources.SOURCES,
        ),
    ] = None,
    metrics: Annotated[bool, typer.Option("--metrics", help="Answer /metrics for Prometheus.")] = False,
    dask: Annotated[
        str,
        typer.Option(
            help="Trusted Dask scheduler for large computations, such as tcp://host:8786.", envvar=cluster.VARIABLE
        ),
    ] = "",
    qr: Annotated[bool, typer.Option("--qr/--no-qr", help="Print the address as a QR code.")] = True,
) -> None:
    """Serve the app to a class or a team, on all network interfaces. See docs/operating.md."""
    if password_file is not None:
        password_of(password_file)  # refuses a bad file before the server starts
    login = _login(oidc, base_path) if oidc is not None else None
    workers = _workers_of(dask)
    if sources is not None:
        named_sources.named_sources(sources)
    settings = {
        "EMBEDVIZ_PASSWORD_FILE": str(password_file.resolve()) if password_file else "",
        "EMBEDVIZ_OIDC_FILE": str(oidc.resolve()) if oidc else "",
        "EMBEDVIZ_READ_ONLY": "1" if read_only else "",
        named_sources.SOURCES: str(sources.resolve()) if sources else "",
        "EMBEDVIZ_METRICS": "1" if metrics else "",
        "EMBEDVIZ_LOG": log.value,
        cluster.VARIABLE: dask,
    }
    path = base_path.strip("/")
    options = ["--server.address", address, "--server.maxUploadSize", str(upload_mb), "--server.baseUrlPath", path]
    host = own_ip() or "localhost" if address == "0.0.0.0" else address  # noqa: S104
    root = login.root if login else f"http://{host}:{port}/{path}{'/' * bool(path)}"
    who = "need the password" if password_file else "can be anyone in your network"
    who = "log in with their account" if login else who

    def announce(query: str) -> None:
        typer.echo(f"embedviz serves {root}{query} (stop it with Ctrl-C)")
        typer.echo(f"Visitors {who}.")
        if workers:
            typer.echo(f"Large computations run on a cluster of {counted(workers, 'worker')}.")
        if qr and sys.stdout.isatty():
            segno.make(f"{root}{query}", error="m", micro=False).terminal(compact=True)

    start_app(space, port, browser=False, settings=settings, options=options, announce=announce)


def _login(file: Path, base_path: str) -> LoginSettings:
    """Return the settings of the login by account, checked before the server starts.

    Raises:
        Refused: The package Authlib is not installed.
        LoginFileError: The file is invalid, or the address in it has another path than `base_path`.
    """
    settings = login_of(file)
    if find_spec("authlib") is None:
        raise Refused("The login by account needs Authlib. Install it with: pip install 'embedviz[oidc]'.")
    if urlsplit(settings.root).path.strip("/") != base_path.strip("/"):
        expected = f"/{base_path.strip('/')}".rstrip("/") + CALLBACK
        raise LoginFileError(f"redirect_uri has another path than this server. It would end with {expected}.")
    return settings


def start_app(
    space: str | None,
    port: int,
    *,
    browser: bool,
    skip_bad: bool = False,
    encoding: str = "",
    choices: ReadOptions | None = None,
    settings: Mapping[str, str] = MappingProxyType({}),
    options: Sequence[str] = (),
    announce: Callable[[str], None] | None = None,
) -> None:
    """Start the app and wait until it ends.

    A file is first read into a temporary folder, which is deleted when the server ends.

    Args:
        settings: Environment variables of the server; an empty value does not change the environment.
        options: Further options of `streamlit run`.
        announce: Function that prints the address of the app; its argument is the query that opens the space.

    Raises:
        Refused: The argument names no space, the port is in use, or the app cannot start.
        SpaceError: The address is not valid, or what it names cannot be read.
        KeyboardInterrupt: Ctrl-C or termination ended the server.
    """
    _check_port(port)
    devices.named_device()
    query, environment = "", dict(os.environ) | {name: value for name, value in settings.items() if value}
    environment.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="embedviz-opened-") as scratch:
        if space is not None:
            how = {"skip_bad": skip_bad, "encoding": encoding, **(vars(choices) if choices else {})}
            address = _address_to_open(space, Path(scratch), environment, how)
            query = f"?space={quote(address, safe=':~')}"
        here = _app_file()
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(here.parent), environment.get("PYTHONPATH")]))
        url = f"http://localhost:{port}/{query}"
        if announce is None:
            typer.echo(f"embedviz opens on {url} (stop it with Ctrl-C)")
        else:
            announce(query)
        always = ["--server.port", str(port), "--server.headless", "true", "--logger.hideWelcomeMessage", "true"]
        command = [sys.executable, "-m", "streamlit", "run", str(here), *always, *options]
        server = subprocess.Popen(command, cwd=here.parent, env=environment)  # noqa: S603 - our own program
        # Handle termination like Ctrl-C: the server ends, and the folder is deleted.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            if browser:
                typer.launch(url)
            status = server.wait()
        except KeyboardInterrupt:
            server.terminate()
            server.wait(10)
            raise
    if status not in (0, -15):
        raise Refused(f"The app could not start on port {port}. The port may be in use: try --port {port + 1}.")


def _workers_of(address: str) -> int:
    """Return the number of workers of a cluster; 0 for an empty address.

    Raises:
        Refused: The cluster cannot be used.
    """
    try:
        return cluster.check(address) if address else 0
    except cluster.ClusterError as error:
        raise Refused(str(error)) from None


def _check_port(port: int) -> None:
    """Check that a port is free.

    Raises:
        Refused: The port is in use.
    """
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise Refused(f"Port {port} is in use. Try --port {port + 1}.")


def _address_to_open(text: str, scratch: Path, environment: dict[str, str], how: dict[str, Any]) -> str:
    """Return the address of a space in the app, such as `opened:NAME`, for a path, a web address or a space address.

    A file or a web address is first read into a folder.

    Args:
        scratch: Folder into which a file or a web address is read.
        environment: Environment variables of the server. The folder of an opened space is added to them.
        how: Options of `cache.import_file`.
    """
    source, tilde, steps = text.partition("~")
    if tilde and not Path(text).exists() and Path(source).exists():
        corrections = catalog.parse(f"builtin~{steps}").corrections  # refused before a file is read
        opened = catalog.parse(_address_to_open(source, scratch, environment, how))
        return str(replace(opened, corrections=corrections))
    if addresses.is_address(text):
        from embedviz.formats import remote

        refuse_encoding(how["encoding"], text)
        name = catalog.clean_name(addresses.parse(text).name)
        given = {key: value for key, value in how.items() if key != "encoding"}
        with progress(f"fetching {name}") as report:
            remote.import_address(text, scratch / name, name, report=report, **given)
        environment[catalog.OPENED] = str(scratch / name)
        return str(catalog.Recipe("opened", name))
    path = Path(text)
    saved = path.is_dir() and is_saved(path)
    if saved or not path.exists():
        refuse_encoding(how["encoding"], text)
        refuse_choices({name: how[name] for name in how if name not in ("skip_bad", "encoding")}, text)
    if not path.exists():
        recipe = recipe_of(text)
        catalog.open_space(recipe)
        return str(recipe)
    whole = path.resolve().name
    name = catalog.clean_name(whole if path.is_dir() else whole.removesuffix(".gz").rpartition(".")[0] or whole)
    folder = scratch / name
    if saved:
        open_folder(path)
        folder = path.resolve()
    else:
        from embedviz.formats import cache

        with progress(f"reading {whole}") as report:
            cache.import_file(path, folder, name, report=report, **how)
        _add_encoder(path)
    environment[catalog.OPENED] = str(folder)
    return str(catalog.Recipe("opened", name))


def _add_encoder(path: Path) -> None:
    """Add the encoder in a model's folder to the lists of the app, and print its name; do nothing without a model."""
    if not (path.is_dir() and (path / "config.json").is_file()):
        return
    from embedviz.contextual import models

    try:
        added = models.linked(path)
    except OptionError as error:
        typer.echo(visible(f"The input embeddings are opened; the encoder is not added. {error}"), err=True)
        return
    if added is not None:
        typer.echo(visible(f"The pages of Context list the encoder as {added.name}."))


def _app_file() -> Path:
    """Return the path of `app.py`: in the installed package, else in the checkout.

    Raises:
        Refused: There is no such file.
    """
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / "_app" / "app.py", package.parent / "app.py"):
        if candidate.is_file():
            return candidate
    raise Refused("The files of the app are not installed. Install embedviz again with: pip install .")
