"""A PostgreSQL server of a measurement's own, in a temporary folder and on a socket in it, with the settings that it comes with.
NARRATORIA_POSTGRES_BIN names the folder of its programs."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time


class Postgres:
    """A server of its own."""

    def __init__(self):
        self.bin = find_postgres()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pg"))
        self.as_user = []
        if os.getuid() == 0:
            user = next(user for user in ("postgres", "nobody") if has_user(user))
            entry = pwd.getpwnam(user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.as_user = ["setpriv", f"--reuid={user}", f"--regid={entry.pw_gid}", "--clear-groups"]
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "-D", self.folder / "data"]
        self.run("initdb", *options)
        command = [*self.as_user, self.bin / "postgres", "-D", self.folder / "data", "-k", self.folder, "-c", "listen_addresses="]
        self.process = subprocess.Popen(command, cwd="/", stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while self.ask("SELECT 1", check=False) != "1":
            if time.monotonic() > until:
                raise SystemExit("postgres: the server does not answer")
            time.sleep(0.05)
        self.url = f"postgres://postgres@{str(self.folder).replace('/', '%2F')}:5432/postgres"

    def run(self, program, *args, check=True):
        command = [*self.as_user, self.bin / program, *args]
        ran = subprocess.run([str(part) for part in command], cwd="/", capture_output=True, text=True)
        if check and ran.returncode:
            raise SystemExit(f"postgres: {program}: {ran.stderr}")
        return ran.stdout.strip()

    def ask(self, sql, check=True):
        return self.run("psql", "-X", "-A", "-t", "-U", "postgres", "-h", self.folder, "-c", sql, check=check)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder)


def has_user(name):
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def find_postgres():
    named = os.environ.get("NARRATORIA_POSTGRES_BIN")
    if named:
        return pathlib.Path(named)
    installed = [path for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin") if path.parent.name.isdigit()]
    if installed:
        return max(installed, key=lambda path: int(path.parent.name))
    found = shutil.which("postgres")
    if not found:
        raise SystemExit("postgres: there is no PostgreSQL; scripts/postgres.sh installs it")
    return pathlib.Path(found).parent
