"""One row of the fault table, with the official Python SDK.

python faults.py CLI ROW SECONDS
"""

import asyncio
import json
import os
import re
import resource
import sys
import threading
import time

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    query,
)

CLI, ROW, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])

began = time.perf_counter()
report = {"messages": 0, "ordered": True}
number = 0
told = threading.Lock()


def stop_clock():
    report.setdefault("ms", (time.perf_counter() - began) * 1e3)


def tell(outcome, error=None):
    if not told.acquire(blocking=False):
        return
    stop_clock()
    report["outcome"] = outcome
    report["error"] = None if error is None else str(error)[:200]
    report["peak_kib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(report), flush=True)


def live_on():
    # Until nobody looks any more, whatever the event loop does.
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=live_on, daemon=True).start()
watchdog = threading.Timer(SECONDS, tell, ["hang"])
watchdog.daemon = True
watchdog.start()


def take(message):
    global number
    if isinstance(message, AssistantMessage):
        report["messages"] += 1
        text = getattr(message.content[0], "text", "") if message.content else ""
        found = re.match(r"message (\d+) ", text)
        if found:
            report["ordered"] &= int(found[1]) == number + 1
            number = int(found[1])
    elif isinstance(message, ResultMessage):
        report["messages"] += 1


async def never(*_):
    await asyncio.Event().wait()


async def raises(*_):
    raise RuntimeError("the callback has a fault of its own")


async def with_client(options):
    async with ClaudeSDKClient(options=options) as client:
        await client.query("go")
        if ROW.startswith("interrupt_"):
            messages = client.receive_messages()
            async for message in messages:
                take(message)
                if isinstance(message, AssistantMessage):
                    break
            await asyncio.sleep(1)
            asked = time.perf_counter()
            await client.interrupt()
            report["receipt_ms"] = (time.perf_counter() - asked) * 1e3
        async for message in client.receive_response():
            take(message)
        stop_clock()
    return "interrupted" if ROW.startswith("interrupt_") else "ok"


async def with_query(options):
    result = False
    count = 0
    messages = query(prompt="go", options=options)
    async for message in messages:
        take(message)
        if isinstance(message, ResultMessage):
            result = True
            stop_clock()
        if ROW.startswith("drop_handle") and isinstance(message, AssistantMessage):
            # Leaving the loop is how a program lets go; the generator goes with it.
            await messages.aclose()
            return "dropped"
        count += 1
        if ROW == "slow_reader_3003" or (ROW == "flood_100000" and count % 100 == 0):
            await asyncio.sleep(0.002)
    return "ok" if result else "ends"


async def main():
    options = ClaudeAgentOptions(cli_path=CLI)
    if ROW == "permission_never":
        options.can_use_tool = never
    if ROW == "permission_panics":
        options.can_use_tool = raises
    needs_client = ROW.startswith(("interrupt_", "permission_"))
    try:
        tell(await (with_client if needs_client else with_query)(options))
    except Exception as error:
        tell("error", error)
    await asyncio.Event().wait()


asyncio.run(main())
