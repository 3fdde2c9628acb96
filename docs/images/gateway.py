#!/usr/bin/env python3
"""Takes docs/images/gateway.svg: the commands of the README in three terminals.

  cargo build --package claw --package claw-testkit
  python3 docs/images/gateway.py target/debug target/cli/VERSION/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude

The second argument is the CLI that `cargo xtask ci readme` installs. The model is
crates/claw-testkit/scripts/haiku.json. bubblewrap gives the terminals the home folder /home/user. Look at the picture before you keep it.
"""
import fcntl
import html
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS, CHAR, LINE = 104, 8.43, 19
BACKGROUND, TEXT, FAINT = "#1b1e24", "#d8dbe2", "#8a919e"
COLORS = {31: "#e06c75", 32: "#98c379", 33: "#e5c07b", 34: "#61afef", 35: "#c678dd", 36: "#56b6c2"}


class Terminal:
    """Commands in a pseudo terminal, one after the other."""

    def __init__(self, title, env, home):
        self.title, self.env, self.home = title, env, home
        self.output, self.child = b"", None

    def start(self, command):
        self.output += b"\x1b[32m$\x1b[0m \x1b[1m" + command.encode() + b"\x1b[0m\r\n"
        own, others = pty.openpty()
        fcntl.ioctl(others, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
        self.child = subprocess.Popen(
            ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/home", "--bind", self.home, "/home/user",
             "--chdir", "/home/user/poems", "bash", "-c", command],
            stdin=others, stdout=others, stderr=others, env=self.env, start_new_session=True)
        os.close(others)
        threading.Thread(target=self.read, args=[own], daemon=True).start()

    def read(self, own):
        try:
            while data := os.read(own, 65536):
                self.output += data
        except OSError:  # The program has ended.
            pass

    def until(self, text):
        deadline = time.monotonic() + 60
        while text not in self.output:
            if time.monotonic() > deadline:
                sys.exit(f"no {text!r} in {self.output.decode()}")
            time.sleep(0.05)

    def run(self, command):
        self.start(command)
        self.wait()

    def wait(self):
        code = self.child.wait(60)
        time.sleep(0.3)  # The reader may still have output of the program.
        if code != 0:
            sys.exit(f"{self.title} ended with {code}: {self.output.decode()}")


def styled(output):
    """Splits output into lines of (text, style)."""
    lines, style = [[]], set()
    for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\r?\n)", output.decode()):
        if part in ("\n", "\r\n"):
            lines.append([])
        elif part.startswith("\x1b["):
            if not part.endswith("m"):
                sys.exit(f"the picture has no {part!r}")
            for code in part[2:-1].split(";"):
                style = set() if code in ("", "0") else style | {int(code)}
        else:
            while part:
                room = COLUMNS - sum(len(text) for text, _ in lines[-1])
                if room == 0:
                    lines.append([])
                    continue
                lines[-1].append((part[:room], frozenset(style)))
                part = part[room:]
    while not lines[-1]:
        lines.pop()
    return lines


def span(text, style):
    color = next((COLORS[code % 10 + 30] for code in style if 31 <= code <= 36 or 91 <= code <= 96), None)
    if color is None and 2 in style or 90 in style:
        color = FAINT
    looks = f' fill="{color}"' if color else ""
    looks += ' font-weight="bold"' if 1 in style else ""
    return f"<tspan{looks}>{html.escape(text)}</tspan>" if looks else html.escape(text)


def picture(terminals):
    width, top, parts = COLUMNS * CHAR + 32, 0, []
    for terminal in terminals:
        lines = styled(terminal.output)
        height = 36 + LINE * len(lines) + 12
        parts.append(f'<rect y="{top}" width="{width:.0f}" height="{height}" rx="8" fill="{BACKGROUND}"/>')
        parts.append(f'<text x="16" y="{top + 22}" fill="{FAINT}" font-size="12">{terminal.title}</text>')
        for number, line in enumerate(lines):
            spans = "".join(span(text, style) for text, style in line)
            parts.append(f'<text x="16" y="{top + 48 + LINE * number}" xml:space="preserve">{spans}</text>')
        top += height + 10
    font = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {top - 10}" font-family="{font}" font-size="14" fill="{TEXT}">'
    return "\n".join([head, *parts, "</svg>", ""])


def main():
    programs, claude = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        home = f"{folder}/home"
        os.makedirs(f"{home}/poems")
        os.mkdir(f"{folder}/bin")
        os.symlink(f"{programs}/claw", f"{folder}/bin/claw")
        os.symlink(claude, f"{folder}/bin/claude")
        script = f"{ROOT}/crates/claw-testkit/scripts/haiku.json"
        api = subprocess.Popen([f"{programs}/scripted-api", script], stdout=subprocess.PIPE, text=True)
        address = None
        while address is None:
            address = re.search(r"http://127\.0\.0\.1:\d+", api.stdout.readline())
        env = {
            "HOME": "/home/user", "PATH": f"{folder}/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": address[0], "ANTHROPIC_API_KEY": "sk-ant-of-no-use",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        one, two, three = (Terminal(f"terminal {number}", env, home) for number in (1, 2, 3))
        try:
            one.start("claw serve")
            one.until(b"Ctrl-C")
            two.start("claw run 'Write a haiku about crabs into haiku.txt'")
            two.until(b"Allow?")
            shown = bytes(one.output)
            for command in ("claw inbox", "claw approve 9Kxq2f", "claw attach"):
                three.run(command)
            two.wait()
            one.output = shown
            with open(f"{ROOT}/docs/images/gateway.svg", "w") as out:
                out.write(picture([one, two, three]))
        finally:
            if one.child is not None:
                os.killpg(one.child.pid, signal.SIGINT)
                one.child.wait(30)
            api.terminate()
            api.wait()


main()
