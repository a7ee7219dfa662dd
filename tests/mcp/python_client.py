"""Plays `narratoria mcp` and `narratoria serve --mcp` with the Python SDK: python_client.py PROGRAM FOLDER

FOLDER is an empty one for a home. Speaks the current revision of the protocol and the newest of those before it.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import Literal

import mcp_types as types
from mcp import Client
from mcp.client import ClientExtension, ResultClaim
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

PROGRAM, FOLDER = sys.argv[1], sys.argv[2]
TASKS = "io.modelcontextprotocol/tasks"

# A step of a built-in skill that waits for its player's approval.
ROLL = {"toolId": "roll", "toolPath": "dice-roller/roll-dice", "input": {"formula": "1d20"}, "requiresApproval": True}
PLAN = {"requestId": "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", "tools": [ROLL]}


class CreatedTask(types.Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    poll_interval_ms: int | None = None


class TaskState(types.Result):
    task_id: str
    status: str
    result: dict | None = None
    error: dict | None = None


class TaskParams(types.RequestParams):
    task_id: str


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class Tasks(ClientExtension):
    """The Tasks extension, of which this SDK has no client of its own."""

    identifier = TASKS

    def __init__(self) -> None:
        self.states: list[str] = []

    def claims(self):
        return [ResultClaim(result_type="task", model=CreatedTask, resolve=self.resolve)]

    async def resolve(self, created: CreatedTask, context) -> types.CallToolResult:
        while True:
            request = GetTask(params=TaskParams(task_id=created.task_id))
            state = await context.session.send_request(request, TaskState)
            self.states.append(state.status)
            if state.status == "completed":
                return types.CallToolResult.model_validate(state.result)
            assert state.status in ("working", "input_required"), state
            await asyncio.sleep((created.poll_interval_ms or 100) / 1000)


class Player:
    """Answers forms, in order."""

    def __init__(self, *answers: dict) -> None:
        self.answers, self.asked = list(answers), []

    async def __call__(self, context, params) -> types.ElicitResult:
        self.asked.append(params.message)
        return types.ElicitResult.model_validate(self.answers.pop(0))


@asynccontextmanager
async def server(way: str, *more: str):
    """What makes connections to a server: over pipes each has its own, over HTTP they share one."""
    home = os.path.join(FOLDER, f"home-{way}")
    env = {"NARRATORIA_HOME": home, "NARRATORIA_OFFLINE": "1", "NARRATORIA_PREMISE": "none"}
    if way == "pipes":
        yield lambda: StdioServerParameters(command=PROGRAM, args=["mcp", *more], env=env, cwd=FOLDER)
        return
    args = [PROGRAM, "serve", "--mcp", "--port", "0", "--no-open", "--format", "json", *more]
    served = subprocess.Popen(args, env={**os.environ, **env}, cwd=FOLDER, stdout=subprocess.PIPE, text=True)
    try:
        said = json.loads(served.stdout.readline())["mcp"]
        with open(said["tokenFile"], encoding="utf-8") as file:
            headers = {"Authorization": f"Bearer {file.read().strip()}"}
        yield lambda: streamable_http_client(said["url"], http_client=create_mcp_http_client(headers=headers))
    finally:
        served.send_signal(signal.SIGINT)
        assert served.wait(60) == 0, served.returncode


def told(result: types.CallToolResult) -> dict:
    assert not result.is_error, result
    return result.structured_content


async def play(mode: str, way: str) -> None:
    async with server(way, "--planner", "lexical") as connect:
        await play_with(connect, mode, way)


async def play_with(connect, mode: str, way: str) -> None:
    tasks = Tasks()
    async with Client(connect(), mode=mode, extensions=[tasks]) as client:
        version = client.protocol_version
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"story_new", "story_turn", "skill_check", "skill_run", "campaign_check", "eval"} <= tools
        begun = told(await client.call_tool("story_new", {"campaign": "last-reading"}))
        story = begun["story"]
        assert "The bus put you down" in begun["told"][0]["narration"], begun
        for nth, text in enumerate(["go north", "look", "go south"], 2):
            turn = told(await client.call_tool("story_turn", {"story": story, "text": text, "after": nth - 1}))
            assert turn["turns"] == nth and turn["told"][-1]["prompt"] == text, turn
            assert turn["told"][-1]["outcome"] == "told", turn
        back = told(await client.call_tool("story_undo", {"story": story, "turns": 2}))
        assert back["turns"] == 2 and back["moved"]["turns"] == 2, back
        why = told(await client.call_tool("story_read", {"story": story, "about": "why", "turn": 2}))
        assert why["prompt"] == "go north", why
        uris = {str(resource.uri) for resource in (await client.list_resources()).resources}
        assert f"narratoria://stories/{story}/state" in uris, uris
        state = await client.read_resource(f"narratoria://stories/{story}/state")
        assert "world" in json.loads(state.contents[0].text)["value"], state
        checked = told(await client.call_tool("campaign_check", {"campaign": "last-reading", "walks": 3, "turns": 20}))
        assert checked["exitCode"] == 0 and checked["report"], checked
        is_task = version >= "2026-07-28"
        assert bool(tasks.states) == is_task, tasks.states
        roll = told(await client.call_tool("skill_run", {"script": "dice-roller/roll-dice", "input": {"formula": "1d6"}}))
        assert roll["exitCode"] == 0, roll
        wrong = await client.call_tool("story_turn", {"story": "../../etc", "text": "look"})
        assert wrong.is_error, wrong
    print(f"python sdk, {version}, {way}: three turns, an undo, resources, a check{' as a task' if is_task else ''}")


async def approve(mode: str, way: str) -> None:
    script = os.path.join(FOLDER, "script.json")
    with open(script, "w", encoding="utf-8") as file:
        json.dump([PLAN] * 4, file)
    async with server(way, "--planner", f"scripted:{script}") as connect:
        await approve_with(connect, mode, way)


async def approve_with(connect, mode: str, way: str) -> None:
    yes = {"action": "accept", "content": {"decision": "approve"}}
    player = Player(yes, {"action": "accept", "content": {"decision": "deny"}}, {"action": "decline"})
    name = f"dice-{mode}"
    async with Client(connect(), mode=mode, elicitation_callback=player) as client:
        await client.call_tool("story_new", {"premise": "none", "name": name})
        plans = []
        for _ in range(3):
            told(await client.call_tool("story_turn", {"story": name, "text": "I roll"}))
            why = told(await client.call_tool("story_read", {"story": name, "about": "plan"}))
            plans.append(json.dumps(why))
        assert len(player.asked) == 3 and not player.answers, player.asked
        assert "dice-roller/roll-dice" in player.asked[0] and "1d20" in player.asked[0], player.asked
        assert '"denied"' not in plans[0] and '"denied"' in plans[1] and '"denied"' in plans[2], plans
        await client.call_tool("story_close", {"story": name})
    async with Client(connect(), mode=mode) as client:
        turn = told(await client.call_tool("story_turn", {"story": name, "text": "I roll"}))
        assert any("shows no forms" in note for note in turn["notes"]), turn
        plan = json.dumps(told(await client.call_tool("story_read", {"story": name, "about": "plan"})))
        assert '"denied"' in plan, plan
    print(f"python sdk, {mode}, {way}: an approval is asked for, given and denied; without forms nothing is approved")


async def main() -> None:
    for way in ("pipes", "HTTP"):
        for mode in ("auto", "legacy"):
            await play(mode, way)
            await approve(mode, way)


asyncio.run(main())
