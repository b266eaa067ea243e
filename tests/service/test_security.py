"""Who is let in: TLS, client certificates, tokens, and what is never shown."""

import asyncio
import contextlib
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from laizi.errors import ErrorReason
from laizi.v1 import doudizhu_pb2, rules_pb2
from laizi_service.access import Access, AccessError
from laizi_service.cli import main
from laizi_service.client import AsyncClient, Client, aio_channel, channel, failure, health
from laizi_service.security import Tokens
from laizi_service.server import Server
from laizi_service.settings import Settings, SettingsError
from tests.service.authority import Authority

OLD, NEW, OTHER = "old-token-0123456789", "new-token-0123456789", "other-token-01234567"
LIST = rules_pb2.ListRuleSetsRequest()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


@contextlib.contextmanager
def serving(**files: Any) -> Iterator[Server]:
    settings: dict[str, Any] = {name: str(file) for name, file in files.items()}
    with Server(Settings(port=0, metrics_port=0, **settings)) as server:
        yield server


def ask(server: Server, access: Access) -> grpc.StatusCode:
    """The status of a call on a connection of its own."""
    with Client(channel(f"127.0.0.1:{server.port}", retry=False, **access.arguments())) as client:
        code: grpc.StatusCode = client.rules.ListRuleSets.future(LIST, timeout=20).code()
        return code


def test_tls_is_for_those_who_trust_the_authority(tmp_path, authority):
    certificate, key = authority.issue("server")
    with serving(tls_certificate=certificate, tls_key=key) as server:
        target, ca = f"127.0.0.1:{server.port}", str(authority.file)
        assert ask(server, Access(ca=ca)) is grpc.StatusCode.OK
        assert ask(server, Access(ca=ca, server_name="laizi.example")) is grpc.StatusCode.OK
        assert ask(server, Access(ca=ca, server_name="else.example")) is grpc.StatusCode.UNAVAILABLE
        assert ask(server, Access(ca=str(Authority(tmp_path, "stranger").file))) is grpc.StatusCode.UNAVAILABLE
        assert ask(server, Access(tls=True)) is grpc.StatusCode.UNAVAILABLE
        assert ask(server, Access()) is grpc.StatusCode.UNAVAILABLE
        assert health(target, **Access(ca=ca).arguments()) == "SERVING"


def test_with_an_authority_for_clients_each_must_show_a_certificate(tmp_path, authority):
    certificate, key = authority.issue("server")
    clients, strangers = Authority(tmp_path, "clients"), Authority(tmp_path, "strangers")
    with serving(tls_certificate=certificate, tls_key=key, tls_client_ca=clients.file) as server:
        for issuer, code in ((clients, grpc.StatusCode.OK), (strangers, grpc.StatusCode.UNAVAILABLE)):
            shown = [str(file) for file in issuer.issue("client")]
            access = Access(ca=str(authority.file), certificate=shown[0], key=shown[1])
            assert ask(server, access) is code
        assert ask(server, Access(ca=str(authority.file))) is grpc.StatusCode.UNAVAILABLE


def test_certificates_are_replaced_without_a_restart(tmp_path, authority, caplog):
    """Connections that are open go on; later ones get the new certificate, once it and its key are both there."""
    caplog.set_level(logging.INFO, "laizi_service.security")
    certificate, key = authority.issue("server")
    successor = Authority(tmp_path, "successor")
    before, after = Access(ca=str(authority.file)), Access(ca=str(successor.file))
    with contextlib.ExitStack() as opened:
        server = opened.enter_context(serving(tls_certificate=certificate, tls_key=key))
        client = opened.enter_context(Client(channel(f"127.0.0.1:{server.port}", **before.arguments())))
        client.rules.ListRuleSets(LIST)
        new_certificate, new_key = successor.issue("next")
        shutil.move(new_certificate, certificate)
        assert ask(server, before) is grpc.StatusCode.OK
        assert ask(server, after) is grpc.StatusCode.UNAVAILABLE
        assert [record.levelname for record in caplog.records] == ["ERROR"]
        shutil.move(new_key, key)
        assert ask(server, after) is grpc.StatusCode.OK
        assert ask(server, before) is grpc.StatusCode.UNAVAILABLE
        assert [record.levelname for record in caplog.records] == ["ERROR", "INFO"]
        client.rules.ListRuleSets(LIST)


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    file = tmp_path / "tokens"
    file.write_text(f"# the backends\n{OLD}\n\n{NEW}\n")
    return file


def shown(tmp_path: Path, token: str) -> Access:
    file = tmp_path / "token"
    file.write_text(token + "\n")
    return Access(token_file=str(file))


def test_calls_without_a_known_token_are_refused(tmp_path, tokens, refused, fetch, caplog):
    caplog.set_level(logging.DEBUG)
    with serving(tokens_file=tokens) as server:
        target = f"127.0.0.1:{server.port}"
        for token in (OLD, NEW):
            assert ask(server, shown(tmp_path, token)) is grpc.StatusCode.OK
        for access in (Access(), shown(tmp_path, OTHER), shown(tmp_path, OLD[:-1])):
            with Client(channel(target, **access.arguments())) as client:
                told = grpc.StatusCode.UNAUTHENTICATED, ErrorReason.UNAUTHENTICATED
                refused(client.rules.ListRuleSets, LIST, *told)
                refused(lambda request, client=client: list(client.doudizhu.Stream(iter([request]))),
                        doudizhu_pb2.DoudizhuServiceStreamRequest(), *told)  # fmt: skip
        with grpc.insecure_channel(target) as open_channel:
            with pytest.raises(grpc.RpcError) as caught:
                ProtoReflectionDescriptorDatabase(open_channel).get_services()
            assert failure(caught.value).reason is ErrorReason.UNAUTHENTICATED
        assert health(target) == "SERVING"
        assert 'laizi_errors_total{reason="UNAUTHENTICATED"} 7.0' in fetch(server.metrics_port, "/metrics")[1]
    assert not [record for record in caplog.records if "token-0" in record.getMessage()]


@pytest.mark.parametrize(
    "header", ["", OLD, f"Basic {OLD}", f"Bearer {OTHER}", "Bearer", "Bearer ", f"Bearer {OLD} {OLD}", "Bearer é" * 9]
)
def test_only_a_bearer_s_token_counts(tokens, header):
    assert not Tokens(str(tokens)).admit([("authorization", header)])
    assert Tokens(str(tokens)).admit([("other", "x"), ("authorization", f"bearer {OLD}")])


def test_a_token_is_replaced_without_a_restart(tmp_path, tokens, caplog):
    with serving(tokens_file=tokens) as server:
        tokens.write_text(f"{NEW}\n{OTHER}\n")
        assert server.reload()
        codes = [ask(server, shown(tmp_path, token)) for token in (OLD, NEW, OTHER)]
        assert codes == [grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.OK, grpc.StatusCode.OK]
        tokens.write_text(f"{NEW}\nshort\n")
        assert not server.reload()
        assert ask(server, shown(tmp_path, OTHER)) is grpc.StatusCode.OK
    assert f"{tokens}:2: a token is 16 or more" in caplog.text
    assert "short" not in caplog.text


def test_tls_and_tokens_go_together_also_for_asyncio(tmp_path, tokens, authority):
    certificate, key = authority.issue("server")
    file = shown(tmp_path, NEW).token_file

    async def names(target: str, access: Access) -> list[str]:
        async with AsyncClient(aio_channel(target, **access.arguments())) as client:
            return [one.name for one in (await client.rules.ListRuleSets(LIST)).rule_sets]

    with serving(tls_certificate=certificate, tls_key=key, tokens_file=tokens) as server:
        access = Access(ca=str(authority.file), token_file=file)
        assert "huanle" in asyncio.run(names(f"127.0.0.1:{server.port}", access))
        assert ask(server, Access(ca=str(authority.file))) is grpc.StatusCode.UNAUTHENTICATED


def test_the_command_line_gets_in_by_flags_and_by_the_environment(tmp_path, tokens, authority):
    certificate, key = authority.issue("server")
    clients = Authority(tmp_path, "clients")
    own = [str(file) for file in clients.issue("client")]
    settings = {"tls_certificate": certificate, "tls_key": key, "tls_client_ca": clients.file, "tokens_file": tokens}
    with serving(**settings) as server:
        target = f"127.0.0.1:{server.port}"
        flags = ["--ca", str(authority.file), "--certificate", own[0], "--key", own[1]]
        token = ["--token-file", shown(tmp_path, OLD).token_file]
        read = ["read", "3337", "-w", "7", "--target", target]
        assert run([*flags, "probe", target]) == (0, "SERVING\n")
        assert run([*flags, *token, *read])[0] == 0
        assert run([*flags, *read])[0] == 1
        assert run(["probe", target])[0] == 1
        names = ("CA", "CERTIFICATE", "KEY", "TOKEN_FILE")
        values = (str(authority.file), *own, token[1])
        variables = {f"LAIZI_CLIENT_{name}": value for name, value in zip(names, values, strict=True)}
        assert run(read, variables)[0] == 0
        code, said = run(["--ca", "absent.pem", "probe", target])
        assert (code, said.splitlines()[-1]) == (2, "Error: absent.pem: No such file or directory")


def run(arguments: list[str], environment: dict[str, str] | None = None) -> tuple[int, str]:
    result = CliRunner(env=environment or {}).invoke(main, arguments)
    return result.exit_code, result.output


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "laizi.example"])
def test_plaintext_stays_on_this_machine_unless_it_is_allowed(host):
    with pytest.raises(SettingsError, match=r"beyond loopback.*tls_certificate.*allow_plaintext=on"):
        Settings(host=host)
    Settings(host=host, allow_plaintext="on")
    Settings(host=host, tls_certificate="a", tls_key="b")
    code, said = run(["serve", f"--host={host}", "--port=0", "--metrics-port=0"])
    assert code == 2
    assert said.splitlines()[-1].startswith(
        f"Error: host {host} is beyond loopback, where plaintext is not served: set"
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "::1", "localhost"])
def test_loopback_needs_nothing(host):
    assert Settings(host=host).host == host


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"tls_certificate": "a"}, "go together"),
        ({"tls_key": "a"}, "go together"),
        ({"tls_client_ca": "a"}, "tls_client_ca needs tls_certificate"),
        ({"tls_certificate": "absent", "tls_key": "absent"}, "tls_certificate: absent: No such file"),
        ({"tls_certificate": "{junk}", "tls_key": "{junk}"}, "no certificate chain"),
        (
            {"tls_certificate": "{good}", "tls_key": "{key}", "tls_client_ca": "{junk}"},
            "tls_client_ca: .* no certificates",
        ),
        ({"tokens_file": "absent"}, "tokens_file: absent: No such file"),
        ({"tokens_file": "{empty}"}, "holds no token"),
        ({"tokens_file": "{junk}"}, "junk:1: a token is 16 or more"),
    ],
)
def test_what_is_wrong_with_files_is_named_and_not_shown(tmp_path, authority, settings, said):
    certificate, key = authority.issue("server")
    (tmp_path / "junk").write_text("a secret of ours\n")
    (tmp_path / "empty").write_text("# nothing\n")
    files = {"good": certificate, "key": key, "junk": tmp_path / "junk", "empty": tmp_path / "empty"}
    with (
        pytest.raises(SettingsError, match=said) as caught,
        serving(**{name: value.format(**files) for name, value in settings.items()}),
    ):
        pass
    assert "secret" not in str(caught.value)


def test_what_a_client_cannot_show_is_named(tmp_path):
    for wrong in (Access(certificate="a"), Access(key="a"), Access(token_file="absent"), shown(tmp_path, "")):
        with pytest.raises(AccessError):
            wrong.arguments()
