import { expect, it } from "vitest";
import { whyNoneCounts } from "../../../chapters/sandboxes/tasks/no-tasks.ts";

type Given = Parameters<typeof whyNoneCounts>;

const bundle = { tools: 2, gaps: [{ tool: "put", reason: "r", n: 1 }] } as unknown as Given[1];
const evidence = [{ format: "openai-chat", stats: { traces: 4, calls: 9 } }] as unknown as Given[2];
const told = (tasks: readonly { status: string; reason?: string }[], seen = evidence) =>
  whyNoneCounts(tasks as unknown as Given[0], bundle, seen);

it("no reason is told where a task counts or waits, or a person retired them all", () => {
  for (const status of ["certified", "held", "draft"])
    expect(told([{ status: "refused" }, { status }]), status).toBeUndefined();
  expect(told([{ status: "retired" }])).toBeUndefined();
});

it("what was refused is told by the verdict it failed, without what a person retired", () => {
  const refused = { status: "refused", reason: "determined: two answers fit" };
  expect(told([refused, refused, { status: "retired" }])).toContain(
    "None of the 2 tasks written from 4 traces with 9 tool calls passed review (refused: 2 determined): its world cannot answer 1 of 2 tools (put).",
  );
});

it("an export is not asked for where nothing says how rows are read, but sessions of the tools that no rule explains", () => {
  const gap = (tool: string, n: number, reason = "no behaviour explains its calls") => ({ tool, reason, n });
  const lacking = (gaps: ReturnType<typeof gap>[], tools: object = {}) =>
    whyNoneCounts([], { tools: 4, gaps, fidelity: { tools } } as unknown as Given[1], evidence);
  const missed = { search: { calls: 4, identical_volatile: 1 } };
  expect(lacking([gap("search", 18), gap("create", 11), gap("create", 1), gap("find", 0)], missed)).toMatch(
    /What would help: more sessions that call search \(3 of 4 calls missed\), create \(12 calls seen that no rule explains\), or a tool listing\.$/,
  );
  expect(lacking([gap("find", 0, "never observed")], missed)).toMatch(
    /What would help: more sessions that call search \(3 of 4 calls missed\), or a database export, or a tool listing\.$/,
  );
});

it("tasks of a database export alone were written, though no session was sent", () => {
  const rows = [{ format: "records", stats: { traces: 0, calls: 0 } }] as unknown as Given[2];
  expect(told([], rows)).toMatch(/^No task was written: the 0 traces with 0 tool calls show nothing/);
  expect(told([{ status: "refused" }], rows)).toMatch(/^None of the 1 task written from 0 traces/);
});

it("sessions that were rewarded for nothing, or not rewarded, are told with what would help", () => {
  const session = (reward: number | undefined, ...tools: string[]) => ({
    id: "s",
    ...(reward === undefined ? {} : { reward }),
    calls: tools.map((tool) => ({ tool, args: {}, result: "", isError: tool === "create_task" })),
  });
  const why = (...sessions: object[]) => whyNoneCounts([], bundle, evidence, sessions as Given[3]);
  expect(why(session(1, "search_tasks"), session(1, "create_task"), session(0, "update_task"))).toMatch(
    /: none of its 2 rewarded sessions calls a tool that changes something, and its world .*help: rewarded sessions that change something, or /,
  );
  expect(why(session(0, "update_task"))).toMatch(
    /: none of its 1 graded session was rewarded, .*help: sessions that were /,
  );
  for (const known of [[session(1, "update_task")], [session(undefined, "search_tasks")], []])
    expect(why(...known)).toBe(told([]));
});
