"""Processor time of this process for one turn of many messages, with the official Python SDK.

python messages.py CLI
"""

import asyncio
import json
import sys
import time

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient


async def main():
    # The default limit of one line is 1 MiB; none here is longer.
    async with ClaudeSDKClient(ClaudeAgentOptions(cli_path=sys.argv[1])) as client:
        before = time.process_time()
        await client.query("go")
        messages = 0
        async for _ in client.receive_response():
            messages += 1
        used = time.process_time() - before
    print(json.dumps({"messages": messages, "cpu_ms": used * 1e3}), flush=True)


asyncio.run(main())
