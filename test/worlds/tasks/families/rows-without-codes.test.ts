import { beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { draw } from "../../../../worlds/draw/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Random } from "../../../../worlds/samples/desk/random.ts";
import { recordedIn } from "../../../../worlds/tasks/acts/recorded.ts";
import { undetermined } from "../../../../worlds/tasks/determined.ts";
import { finish } from "../../../../worlds/tasks/draft.ts";
import { changesOfAll } from "../../../../worlds/tasks/families/changes-of-all.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import type { GradeEnv } from "../../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { makeKit } from "../../../../worlds/tasks/kit.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { corpusOf } from "../../../../worlds/tasks/words/corpus.ts";
import { keepListings } from "../../../../worlds/tasks/words/listings.ts";
import { voiceOf } from "../../../../worlds/tasks/words/phrases.ts";
import { keepUserCodes } from "../../../../worlds/tasks/words/user-codes.ts";
import { data, refused } from "../../compile/programs/services.ts";

const PLANTS = ["Fern", "Lily", "Rose", "Moss", "Palm", "Sage"];
const GARDENERS = ["ann@garden.example", "bo@garden.example", "cy@garden.example"];
const BEDS = ["North", "South", "Pond"];

/** Plants by codes that nobody knows, and a listing of each bed that shows them. */
class Garden {
  private readonly plants = PLANTS.flatMap((name, i) =>
    BEDS.map((bed, k) => ({
      plant_id: `pl-${4071 + i * 37 + k * 11}`,
      name,
      bed,
      kept_by: GARDENERS[(i + k) % GARDENERS.length] as string,
      water: ["daily", "weekly"][(i + k) % 2] as string,
    })),
  );

  call(tool: string, args: JsonObject) {
    if (tool === "list_plants") return data(this.plants.filter(({ bed }) => bed === args.bed));
    const plant = this.plants.find(({ plant_id }) => plant_id === args.plant_id);
    if (!plant) return refused("No such plant");
    plant.water = String(args.water);
    return data({ plant_id: plant.plant_id, water: plant.water });
  }

  codes = () => this.plants.map(({ plant_id }) => plant_id);
}

/** Sessions whose users speak of beds and gardeners and never say a code. */
function sessionsOf(seeds: readonly number[]): ObservedTrace[] {
  return seeds.map((seed) => {
    const garden = new Garden();
    const random = new Random(seed * 17 + 3);
    const bed = BEDS[seed % BEDS.length] as string;
    const water = random.pick(["daily", "weekly", "monthly"]);
    const asked: [string, JsonObject][] = BEDS.map((one) => ["list_plants", { bed: one }]);
    for (let n = 0; n < 3; n += 1) {
      asked.push(["set_water", { plant_id: random.pick(garden.codes()), water }]);
      asked.push(["list_plants", { bed: random.pick(BEDS) }]);
    }
    return {
      id: `s${String(seed).padStart(3, "0")}`,
      request: `Please see to the plants of the ${bed} bed, number ${seed} on my list, and water them ${water}.`,
      calls: asked.map(([tool, args]) => ({ tool, args, ...garden.call(tool, args) })),
    };
  });
}

describe("tasks of rows whose codes no user says", () => {
  let env: GradeEnv;
  let certified: readonly Task[];
  let traces: readonly ObservedTrace[];
  beforeAll(() => {
    traces = sessionsOf(Array.from({ length: 40 }, (_, i) => i));
    const { bundle, base } = compile(traces, { name: "garden" });
    env = { bundle, base: draw(bundle, base, { seed: "1" }) };
    const tasks = generateTasks(bundle, env.base, { seed: "1", count: 40, mined: traces });
    certified = tasks.filter((task) => reviewTask(task, env, tasks).certificate.passed);
  });
  const changes = () => certified.filter(({ checks }) => checks.some(({ kind }) => kind === "state"));
  const codes = new Set(new Garden().codes());

  it("name a thing by what a listing shows of it, and find its code there", () => {
    const single = changes().filter(({ request }) => !/\ball\b/.test(request));
    expect(single.length).toBeGreaterThanOrEqual(3);
    for (const { request, script } of single) {
      expect([...codes].filter((code) => request.includes(code))).toEqual([]);
      expect(PLANTS.some((name) => request.includes(`"${name}"`))).toBe(true);
      expect(script.calls[0]?.tool).toBe("list_plants");
    }
  });
  it("ask for a change of all that are alike, and of no other", () => {
    const kit = makeKit(env.bundle, env.base, "1");
    keepUserCodes(kit, traces, corpusOf(traces));
    keepListings(kit, recordedIn(traces));
    const all = [...changesOfAll(kit, traces, () => voiceOf(0), kit.rng.fork("all"))].map(finish);
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const task of all) {
      expect(task.request).toMatch(/\ball plants (?:kept by \S+ )?(?:with water \w+ )?in the \w+ bed: water \w+/);
      expect(reviewTask(task, env, all).certificate.passed, task.request).toBe(true);
      const fewer = { ...task, script: { ...task.script, calls: task.script.calls.slice(0, -1) } };
      const right = (one: Task) => playScript(kit.fork(), one.script);
      expect(undetermined(kit, task, right(task))).toEqual([]);
      expect(undetermined(kit, fewer, right(fewer))).not.toEqual([]);
      const one = { ...task, request: task.request.replace("all plants", "the plants") };
      expect(undetermined(kit, one, right(one))).not.toEqual([]);
    }
  });
});
