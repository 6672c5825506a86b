"""`python -m tfcompat run --hosts N`: a program for several hosts, tried out on this machine."""

import json
import os
import socket
import subprocess
import sys
import threading

GRACE = 10  # seconds that the other processes have to end when one has failed


def run(count, arguments):
    """Starts a program several times, as its hosts would; each process has its number in TF_CONFIG.

    Args:
      count: how many processes.
      arguments: what follows `python -m tfcompat run` for each of them, list.

    Returns:
      The exit status of the first one to fail, or 0.

    The first process prints as it is alone. Lines of the others begin with their number.
    """
    cluster = {"worker": _addresses(count)}
    begin = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]  # the interpreter, its flags, and this program
    children = []
    for number in range(count):
        config = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": number}})
        pipe = subprocess.PIPE if number else None
        children.append(subprocess.Popen(
            [*begin, "run", *arguments], stdout=pipe, stderr=pipe,
            env=os.environ | {"TF_CONFIG": config, "JAX_PLATFORMS": "cpu", "PYTHONUNBUFFERED": "1"},
        ))  # fmt: skip
    printing = [
        threading.Thread(target=_pass_on, args=(number, *streams))
        for number, child in enumerate(children) if number
        for streams in ((child.stdout, sys.stdout), (child.stderr, sys.stderr))
    ]  # fmt: skip
    for thread in printing:
        thread.start()
    try:
        status = _first_failure(children)
    except KeyboardInterrupt:  # the children get it, too
        status = 130
    _end(children)
    for thread in printing:
        thread.join()
    return status


def _addresses(count):
    """Addresses of this machine that are free."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = [f"127.0.0.1:{server.getsockname()[1]}" for server in servers]
    for server in servers:
        server.close()
    return addresses


def _pass_on(number, stream, target):
    for line in stream:
        target.write(f"[{number}] {line.decode(errors='replace')}")
        target.flush()


def _first_failure(children):
    """Waits until all have ended or one has failed; its status, or 0."""
    running = list(children)
    while running:
        for child in running[:]:
            try:
                status = child.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            running.remove(child)
            if status:
                if running:
                    print(f"tfcompat: process {children.index(child)} has ended with status {status}; the others end",
                          file=sys.stderr)  # fmt: skip
                return status if status > 0 else 128 - status
    return 0


def _end(children):
    """Ends what is still running."""
    for child in children:
        try:
            child.wait(GRACE)
        except subprocess.TimeoutExpired:
            break
    for child in children:
        if child.poll() is None:
            child.kill()
        child.wait()
