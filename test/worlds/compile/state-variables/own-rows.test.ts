import { describe, expect, test } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { ObservedTrace } from "../../../../worlds/observation.ts";
import { Starts } from "../../../../worlds/starts.ts";

/**
 * Homes whose supply is on while their contract is active and their breaker in: of some the contract is suspended, of
 * others resumed while the breaker is out, and of the last nothing is done.
 */
const [SUSPENDED, RESUMED, LEFT] = [0, 1, 2] as const;
const HOMES = 18;
const contractOf = (home: number) => `K${100 + home}`;

function session(i: number): ObservedTrace {
  const home = i % HOMES;
  const kind = home % 3;
  const contract: JsonObject = {
    contract_id: contractOf(home),
    status: kind === SUSPENDED ? "active" : "suspended",
    plan: `plan ${home % 4}`,
  };
  const breaker = kind === RESUMED ? "out" : "in";
  const call = (tool: string, result: string, args: JsonObject = {}) => ({ tool, args, result, isError: false });
  const supplied = () => contract.status === "active" && breaker === "in";
  const heating = () => call("check_heating", supplied() ? "Heating: warm\nTank: full" : "There is no heating.");
  const looks = () => [
    call("check_supply", `Supply: ${supplied() ? "on" : "off"}\nMeter: fits`),
    call("check_breaker", `Breaker: ${breaker}\nBox: closed`),
  ];
  const staff = (tool: string, status?: string) => {
    if (status !== undefined) contract.status = status;
    return call(tool, JSON.stringify(contract), { contract_id: contractOf(home) });
  };
  const calls = [staff("get_contract"), ...looks(), heating()];
  if (kind === SUSPENDED) calls.push(staff("suspend_contract", "suspended"), ...looks());
  if (kind === RESUMED) calls.push(staff("resume_contract", "active"), ...looks(), heating());
  return { id: `home-${String(i).padStart(3, "0")}`, group: `home ${home}`, calls };
}

const compiled = compile(
  Array.from({ length: 8 * HOMES }, (_, i) => session(i)),
  { name: "homes" },
);
const at = (home: number) => new Starts(compiled).fresh(`home ${home}`);

describe("a reading that rests on a row of its session", () => {
  test("follows what a call makes of the row, also one that never moved it in evidence", () => {
    const world = at(LEFT);
    expect(world.call("check_supply", {}).value).toContain("Supply: off");
    expect(world.call("resume_contract", { contract_id: contractOf(LEFT) }).isError).toBe(false);
    expect(world.call("check_supply", {}).value).toContain("Supply: on");
    world.call("suspend_contract", { contract_id: contractOf(LEFT) });
    expect(world.call("check_supply", {}).value).toContain("Supply: off");
    expect(world.call("check_breaker", {}).value).toContain("Breaker: in");
  });

  test("takes along the form of an answer that follows from it, which was never seen to change", () => {
    const world = at(LEFT);
    expect(world.call("check_heating", {}).value).toBe("There is no heating.");
    world.call("resume_contract", { contract_id: contractOf(LEFT) });
    expect(world.call("check_heating", {}).value).not.toBe("There is no heating.");
  });

  test("stays where something else keeps it so, and where the row is another's", () => {
    const out = at(RESUMED);
    out.call("resume_contract", { contract_id: contractOf(RESUMED) });
    expect(out.call("check_supply", {}).value).toContain("Supply: off");
    const world = at(LEFT);
    world.call("resume_contract", { contract_id: contractOf(LEFT + 3) });
    expect(world.call("check_supply", {}).value).not.toContain("Supply: on");
  });
});
