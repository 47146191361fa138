import { describe, expect, test } from "vitest";
import { manifest } from "../../../../worlds/compile/listing.ts";
import { callsByTool, observe } from "../../../../worlds/compile/observations.ts";
import { compilePrograms } from "../../../../worlds/compile/programs/compile.ts";
import { compileRecords } from "../../../../worlds/compile/programs/records/index.ts";
import { Judge } from "../../../../worlds/compile/utility.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { CRATES, Store } from "./records/export-services.ts";
import { type Maker, SERVICES, sessions } from "./services.ts";

const seeds = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i);
const HOSTILE = ["constructor", "toString", "__proto__"];
/** A name that says as little. */
const PLAIN = "curlew";

/** Everything that is called so, called otherwise: tools, arguments, columns and values. */
function renamed<T>(data: T, from: string, to: string): T {
  return JSON.parse(JSON.stringify(data).replaceAll(new RegExp(`\\b${from}\\b`, "g"), () => to));
}

/** Calls of unseen sessions that programs answer rightly and wrongly. */
function unseen(train: readonly ObservedTrace[], held: readonly ObservedTrace[], records?: Record<string, unknown>) {
  const [known, others] = [observe(train), observe(held)];
  const byTool = callsByTool(known);
  const tools = manifest(undefined, byTool);
  const world = records
    ? compileRecords(known, byTool, tools, { name: "service", records })
    : compilePrograms(known, byTool, tools, "service");
  if (!world) throw new Error("nothing binds to the export");
  const { right, wrong } = new Judge([...known, ...others]).scoreOf(world, others, known);
  return { right, wrong };
}

/** Names of evidence are data: a world learns as much of a service whose columns every JavaScript object has too. */
describe.each([
  ["meter", "litres"],
  ["meter", "level"],
  ["shelf with drawn keys", "finished"],
  ["shelf with counted keys", "title"],
  ["badge desk", "badge"],
])("%s, %s", (name, from) => {
  const make = SERVICES[name] as Maker;
  const [train, held] = [sessions(make, seeds(0, 40)), sessions(make, seeds(100, 8))];
  const plain = unseen(renamed(train, from, PLAIN), renamed(held, from, PLAIN));
  test.each(HOSTILE)("is learnt alike as %s", (to) => {
    expect(plain.right).toBeGreaterThan(40);
    expect(unseen(renamed(train, from, to), renamed(held, from, to))).toEqual(plain);
  });
});

describe.each(["crate_no", "bay", "weight", "get_crate"])("an export of crates, %s", (from) => {
  const make: Maker = () => new Store();
  const [train, held] = [sessions(make, seeds(0, 30)), sessions(make, seeds(100, 8))];
  const called = (to: string) =>
    unseen(renamed(train, from, to), renamed(held, from, to), { crates: renamed(CRATES, from, to) });
  const plain = called(PLAIN);
  test.each(HOSTILE)("is learnt alike as %s", (to) => {
    expect(plain.right).toBeGreaterThan(40);
    expect(called(to)).toEqual(plain);
  });
});
