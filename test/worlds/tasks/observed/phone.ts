import type { Behaviour } from "../../../../worlds/behaviour/schema.ts";
import type { BaseState, Bundle, ToolBehaviour } from "../../../../worlds/bundle.ts";

/** A phone without internet: data is off and a broken vpn is on. A saver changes nothing of that, and a contract stands beside it. */

const does = (steps: Behaviour["steps"], effect: ToolBehaviour["effect"]): ToolBehaviour => ({
  effect,
  behaviour: { v: 1, steps },
  rendering: { form: "json", indent: 0, error_flag: true },
  volatile: [],
  support: { seen: 10, reproduced: 10 },
});

const set = (table: string, key: string, path: string, expr: string): ToolBehaviour =>
  does(
    [{ op: "update", table, key: [{ column: "of", expr: `"${key}"` }], set: [{ path, op: "=", expr }], require: [] }],
    "write",
  );

const behaviours: Bundle["behaviours"] = {
  turn_data_on: set("device", "phone", "data", "true"),
  turn_vpn_off: set("device", "phone", "vpn", "false"),
  turn_saver_on: set("device", "phone", "saver", "true"),
  cancel_contract: set("contract", "own", "state", '"cancelled"'),
  check_internet: does(
    [
      { op: "let", name: "own", expr: 'rows("device")[0]' },
      { op: "answer", expr: '{"internet": own.data && !own.vpn ? "connected" : "none"}' },
    ],
    "read",
  ),
};

const table = (name: string, columns: readonly string[]): Bundle["tables"][number] => ({
  name,
  key: ["of"],
  columns: ["of", ...columns].map((column) => ({ name: column, types: ["string", "boolean"], present: 1 })),
});

export const phone: Bundle = {
  v: 1,
  name: "phone",
  tools: Object.keys(behaviours).map((name) => ({ name, inputSchema: { type: "object", properties: {} } })),
  tables: [table("device", ["data", "vpn", "saver"]), table("contract", ["state"])],
  now: 1_700_000_000,
  behaviours,
  exceptions: [],
  gaps: [],
};

export const phoneRows: BaseState = {
  tables: {
    device: { phone: { of: "phone", data: false, vpn: true, saver: false } },
    contract: { own: { of: "own", state: "active" } },
  },
  drawn: {},
};
