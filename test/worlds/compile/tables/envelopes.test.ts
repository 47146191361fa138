import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import type { Json } from "../../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../../worlds/observation.ts";
import { startOf } from "../../../../worlds/starts.ts";
import { createWorld } from "../../../../worlds/world.ts";

const STATES = ["open", "done", "late"] as const;
/** Jobs of six crews: newer ones have greater numbers, and what is late is late in some tasks alone. */
const JOBS = Array.from({ length: 24 }, (_, i) => ({
  job_id: `jb${500 + i}`,
  crew_id: `CR-${10 + (i % 6)}`,
  street: `Street ${i * 7}`,
  hours: 1 + ((i * 5) % 9),
  state: STATES[(i >> 1) % 2] as (typeof STATES)[number],
}));
type Job = (typeof JOBS)[number];

const call = (tool: string, args: Record<string, string>, result: Json): ObservedCall => ({
  tool,
  args,
  result: JSON.stringify(result),
  isError: false,
});

const crews = [...new Set(JOBS.map(({ crew_id }) => crew_id))];

function jobsOf(jobs: readonly Job[], crew_id: string, state?: string) {
  const list = jobs.filter((row) => row.crew_id === crew_id && row.state === (state ?? row.state)).reverse();
  return { crew_id, n_jobs: list.length, jobs: list };
}

const listed = (crew_id: string, state?: string, jobs: readonly Job[] = JOBS) =>
  call("list_jobs", { crew_id, ...(state ? { state } : {}) }, jobsOf(jobs, crew_id, state));

function worldOf(traces: readonly ObservedTrace[]) {
  const { bundle, base, report } = compile(traces, { name: "crews" });
  return { world: createWorld(bundle, base), bundle, report };
}

describe("a list of rows that an answer counts and repeats its question around", () => {
  const asked = crews.flatMap((crew) => [listed(crew), listed(crew, "open")]);
  const gone = JOBS.map((row) => call("finish_job", { job_id: row.job_id }, { ...row, state: "done" }));
  const { world, report } = worldOf([
    ...asked.map((one, i) => ({ id: `a${i}`, calls: [one] })),
    ...gone.slice(0, 8).map((one, i) => ({ id: `g${i}`, calls: [listed(JOBS[i]?.crew_id ?? ""), one] })),
  ]);

  test("is rows of their own table, and no row of another", () => {
    expect(report.tables).toEqual({ jobs: { rows: JOBS.length, key: ["job_id"] } });
    expect(report.tools.list_jobs?.how).toBe("search jobs");
  });

  test("is told with the number of rows and the question as they are now", () => {
    const other = JOBS.find(({ crew_id, state }) => crew_id === "CR-15" && state === "open");
    const done = world.call("finish_job", { job_id: other?.job_id ?? "" });
    expect(done.isError).toBe(false);
    const now = JOBS.map((row) => (row === other ? { ...row, state: "done" as const } : row));
    expect(world.call("list_jobs", { crew_id: "CR-15" }).value).toEqual(jobsOf(now, "CR-15"));
    expect(world.call("list_jobs", { crew_id: "CR-15", state: "open" }).value).toEqual(jobsOf(now, "CR-15", "open"));
  });
});

describe("a list that an argument picks rows of", () => {
  const narrow = (crew: string): ObservedCall[] => [listed(crew, "open"), listed(crew)];
  const traces = (calls: readonly ObservedCall[]) => calls.map((one, i) => ({ id: `t${i}`, calls: [one] }));

  test("is answered from the list without it, and is none where nobody saw that", () => {
    const { world } = worldOf(traces([...crews.slice(0, 3).flatMap(narrow), listed("CR-13"), listed("CR-14", "open")]));
    expect(world.call("list_jobs", { crew_id: "CR-13", state: "done" }).value).toEqual(jobsOf(JOBS, "CR-13", "done"));
    expect(world.call("list_jobs", { crew_id: "CR-14", state: "done" }).answerClass).toBe("error:not_served");
    expect(world.call("list_jobs", { crew_id: "CR-14" }).answerClass).toBe("error:not_served");
  });

  test("is not answered from a list that leaves out what it may show", () => {
    const unasked = (crew: string) => call("list_jobs", { crew_id: crew }, jobsOf(JOBS, crew, "open"));
    const { world } = worldOf(
      traces([...crews.slice(0, 4).flatMap((crew) => [unasked(crew), listed(crew, "done")]), unasked("CR-14")]),
    );
    expect(world.call("list_jobs", { crew_id: "CR-14", state: "done" }).answerClass).toBe("error:not_served");
  });

  test("is a gap while what picks them is not known of a row", () => {
    const late = JOBS.map((row, i) => (i % 3 === 2 ? { ...row, state: "late" as const } : row));
    const sessions = Array.from({ length: 16 }, (_, i) => ({
      id: `s${String(i).padStart(2, "0")}`,
      group: `task ${i % 4}`,
      startedAt: i + 1,
      calls: crews.flatMap((crew) => [
        listed(crew, undefined, i % 4 === 1 ? late : JOBS),
        listed(crew, "open", i % 4 === 1 ? late : JOBS),
      ]),
    }));
    const { bundle, base } = compile(sessions, { name: "crews" });
    const ask = (state: typeof base, crew_id: string) =>
      createWorld(bundle, state).call("list_jobs", { crew_id, state: "open" });
    expect(ask(base, "CR-15").answerClass).toBe("error:not_served");
    expect(ask(base, "CR-14").value).toEqual(jobsOf(JOBS, "CR-14", "open"));
    expect(ask(startOf(base, "task 1"), "CR-15").value).toEqual(jobsOf(late, "CR-15", "open"));
    expect(ask(startOf(base, "task 2"), "CR-15").value).toEqual(jobsOf(JOBS, "CR-15", "open"));
  });
});

test("what is listed has the columns that it was seen with, in the order and to the number that were seen", () => {
  // Of the rows, notes are some's alone, and the street is only told of one.
  const rows = JOBS.map((row, i) => ({ ...row, ...(i % 4 === 0 ? { note: `Note ${i}` } : {}) }));
  const byHours = rows.toSorted((a, b) => a.hours - b.hours).filter(({ hours }, i, all) => hours !== all[i - 1]?.hours);
  const search = (limit?: number) => {
    const found = byHours.slice(0, limit ?? byHours.length).map(({ street: _, ...row }) => row);
    const args = limit === undefined ? {} : { limit };
    return { tool: "search_jobs", args, result: JSON.stringify({ ok: true, total: found.length, jobs: found }) };
  };
  const asked = [undefined, 2, 3, 4, 5].map((limit, i) => ({
    id: `l${i}`,
    calls: [{ ...search(limit), isError: false }],
  }));
  const got = byHours.map((row, i) => ({ id: `g${i}`, calls: [call("get_job", { job_id: row.job_id }, row)] }));
  const { world, report } = worldOf([...asked, ...got]);
  expect(report.tools.search_jobs?.how).toBe("search jobs");
  for (const limit of [undefined, 1, 6])
    expect(world.call("search_jobs", limit === undefined ? {} : { limit }).value).toEqual(
      JSON.parse(search(limit).result),
    );
});

describe("a row that holds a list stays a row", () => {
  const worker = (i: number) => ({ worker_id: `wk${40 + i}`, name: `Worker ${i}`, since: 2001 + i });
  test.each([
    ["beside numbers of its own", (i: number) => ({ weight: 3 + i * 1.5, workers: [worker(i), worker(i + 6)] })],
    ["of what does not name it and is not counted", (i: number) => ({ workers: [worker(i), worker(i + 6)] })],
    [
      "of parts that nothing names",
      (i: number) => ({
        n_tools: 1 + (i % 3),
        tools: Array.from({ length: 1 + (i % 3) }, (_, k) => ({ name: `Tool ${k}`, uses: i })),
      }),
    ],
  ])("%s", (_, rest) => {
    const read = crews.map((crew_id, i) => ({
      id: `c${i}`,
      calls: [call("get_crew", { crew_id }, { crew_id, ...rest(i) })],
    }));
    expect(worldOf(read).report.tables).toEqual({ crews: { rows: crews.length, key: ["crew_id"] } });
  });
});
