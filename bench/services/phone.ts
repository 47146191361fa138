import { Random } from "./random.ts";
import {
  type Args,
  call,
  cents,
  fieldOf,
  type InventedService,
  num,
  type Plan,
  Refusal,
  str,
  tool,
} from "./service.ts";

const PLANS: Readonly<Record<string, { price: number; gigabytes: number }>> = {
  P1: { price: 15, gigabytes: 2 },
  P2: { price: 30, gigabytes: 10 },
  P3: { price: 55, gigabytes: 50 },
};
const NAMES = ["Ola Berg", "Rita Cole", "Sam Diaz", "Uma Eng", "Vic Frost"];
const MODES = ["5g", "4g", "3g", "2g"];

interface Line {
  line_id: string;
  customer_id: string;
  number: string;
  plan: string;
  status: string;
  used_gb: number;
  extra_gb: number;
  roaming: boolean;
}

/** The same customers in every task. */
function firstLines(): Line[] {
  const random = new Random("phone");
  return NAMES.flatMap((_, i) =>
    Array.from({ length: 1 + (i % 2) }, (_, n) => ({
      line_id: `L${1001 + i * 10 + n}`,
      customer_id: `C${501 + i}`,
      number: `555-${random.between(100, 999)}-${random.between(1000, 9999)}`,
      plan: random.pick(Object.keys(PLANS)),
      status: random.chance(0.85) ? "active" : "suspended",
      used_gb: random.between(0, 120) / 10,
      extra_gb: 0,
      roaming: random.chance(0.4),
    })),
  );
}

/**
 * A telecom account and the phone in the user's hand: what the phone can do follows from its settings and from the
 * line; the settings and some of the line differ by task.
 */
export const phone: InventedService = {
  name: "phone",
  form: "openai",
  refusals: "object",
  tools: [
    tool("find_customer", "Finds a customer by phone number.", { number: "string" }),
    tool("line_details", "Shows a line.", { line_id: "string" }),
    tool("change_plan", "Moves a line to another plan.", { line_id: "string", plan: "P1|P2|P3" }),
    tool("refuel", "Adds data to a line for 2 a gigabyte, at most 5 at a time.", {
      line_id: "string",
      gigabytes: "number",
    }),
    tool("set_roaming", "Allows or stops roaming of a line.", { line_id: "string", on: "boolean" }),
    tool("suspend", "Suspends a line.", { line_id: "string" }),
    tool("resume", "Resumes a line.", { line_id: "string" }),
    tool("bill", "Shows what a customer owes.", { customer_id: "string" }),
    tool("pay", "Pays what a customer owes.", { customer_id: "string" }),
    tool("status_bar", "What the phone's status bar shows."),
    tool("toggle_airplane_mode", "Switches airplane mode."),
    tool("toggle_mobile_data", "Switches mobile data."),
    tool("toggle_data_saver", "Switches the data saver."),
    tool("set_network", "Sets the network that the phone prefers.", { mode: "string" }),
    tool("reseat_sim", "Takes the SIM card out and puts it back in."),
    tool("speed_test", "Measures the phone's connection."),
    tool("send_picture", "Tries to send a picture."),
  ],
  start(task, _session) {
    const lines = firstLines();
    const owed = new Map(NAMES.map((_, i) => [`C${501 + i}`, i * 10]));
    const mine = task.pick(lines);
    mine.used_gb = task.between(0, 120) / 10;
    mine.roaming = task.chance(0.5);
    mine.status = task.chance(0.8) ? "active" : "suspended";
    const device = {
      airplane: task.chance(0.25),
      data: task.chance(0.7),
      saver: task.chance(0.3),
      network: task.pick(MODES),
      seated: task.chance(0.8),
      abroad: task.chance(0.3),
    };
    const lineOf = (id: unknown) => {
      const found = lines.find(({ line_id }) => line_id === id);
      if (!found) throw new Refusal(`Line ${id} not found`);
      return found;
    };
    const owes = (id: unknown) => {
      const found = owed.get(str(id));
      if (found === undefined) throw new Refusal(`Customer ${id} not found`);
      return found;
    };
    const charge = (id: string, amount: number) => owed.set(id, cents(owes(id) + amount));
    const left = (line: Line) => cents((PLANS[line.plan]?.gigabytes ?? 0) + line.extra_gb - line.used_gb);
    const signal = () => !device.airplane && device.seated && mine.status === "active";
    const connected = () => signal() && device.data && left(mine) > 0 && (!device.abroad || mine.roaming);
    const onOff = (on: boolean) => (on ? "ON" : "OFF");
    const handlers = {
      find_customer: ({ number }: Args) => {
        const id = lines.find((line) => line.number === number)?.customer_id;
        if (id === undefined) throw new Refusal(`No customer with number ${number}`);
        return {
          customer_id: id,
          name: NAMES[num(id.slice(1)) - 501],
          lines: lines
            .filter(({ customer_id }) => customer_id === id)
            .map(({ line_id, number }) => ({ line_id, number })),
        };
      },
      line_details: ({ line_id }: Args) => {
        const line = lineOf(line_id);
        return { ...line, plan: { id: line.plan, ...PLANS[line.plan] }, left_gb: left(line) };
      },
      change_plan: ({ line_id, plan }: Args) => {
        const line = lineOf(line_id);
        if (line.status !== "active") throw new Refusal(`Line ${line.line_id} is suspended`);
        if (PLANS[str(plan)] === undefined) throw new Refusal(`Plan ${plan} does not exist`);
        if (line.plan === plan) throw new Refusal(`Line ${line.line_id} has plan ${plan} already`);
        line.plan = str(plan);
        charge(line.customer_id, 5);
        return { line_id: line.line_id, plan, price: PLANS[str(plan)]?.price, fee: 5 };
      },
      refuel: ({ line_id, gigabytes }: Args) => {
        const line = lineOf(line_id);
        if (num(gigabytes) <= 0 || num(gigabytes) > 5) throw new Refusal("Between 0 and 5 gigabytes at a time");
        line.extra_gb += num(gigabytes);
        charge(line.customer_id, num(gigabytes) * 2);
        return { charged: num(gigabytes) * 2, left_gb: left(line) };
      },
      set_roaming: ({ line_id, on }: Args) => {
        const line = lineOf(line_id);
        if (line.roaming === on) return `Roaming was ${onOff(line.roaming)} already.`;
        line.roaming = on === true;
        return `Roaming is ${onOff(line.roaming)} now.`;
      },
      suspend: ({ line_id }: Args) => {
        const line = lineOf(line_id);
        if (line.status === "suspended") throw new Refusal(`Line ${line.line_id} is suspended already`);
        line.status = "suspended";
        return { line_id: line.line_id, status: line.status };
      },
      resume: ({ line_id }: Args) => {
        const line = lineOf(line_id);
        if (line.status === "active") throw new Refusal(`Line ${line.line_id} is active`);
        if (owes(line.customer_id) > 25)
          throw new Refusal(`Customer ${line.customer_id} owes ${owes(line.customer_id)}: pay first`);
        line.status = "active";
        return { line_id: line.line_id, status: line.status };
      },
      bill: ({ customer_id }: Args) => {
        const own = lines.filter((line) => line.customer_id === customer_id);
        return {
          customer_id,
          owed: owes(customer_id),
          monthly: own.reduce((sum, { plan }) => sum + (PLANS[plan]?.price ?? 0), 0),
        };
      },
      pay: ({ customer_id }: Args) => {
        const amount = owes(customer_id);
        if (amount === 0) throw new Refusal("Nothing to pay");
        owed.set(str(customer_id), 0);
        return { paid: amount, owed: 0 };
      },
      status_bar: () =>
        device.airplane
          ? "✈ Airplane mode"
          : !device.seated
            ? "No SIM"
            : `${signal() ? `▂▄▆ ${device.network.toUpperCase()}` : "No service"} | Data ${onOff(device.data)}${device.saver ? " | Saver" : ""}`,
      toggle_airplane_mode: () => {
        device.airplane = !device.airplane;
        return `Airplane mode is ${onOff(device.airplane)}.`;
      },
      toggle_mobile_data: () => {
        device.data = !device.data;
        return `Mobile data is ${onOff(device.data)}.`;
      },
      toggle_data_saver: () => {
        device.saver = !device.saver;
        return `Data saver is ${onOff(device.saver)}.`;
      },
      set_network: ({ mode }: Args) => {
        if (!MODES.includes(str(mode))) throw new Refusal(`Modes: ${MODES.join(", ")}`);
        device.network = str(mode);
        return `Preferred network: ${mode}`;
      },
      reseat_sim: () => {
        device.seated = true;
        return "The SIM card is in.";
      },
      speed_test: () => {
        if (!connected()) return "No connection.";
        const speed = { "5g": 300, "4g": 80, "3g": 6, "2g": 0.2 }[device.network] as number;
        return { mbps: device.saver ? speed / 4 : speed, rating: speed > 50 ? "good" : speed > 1 ? "fair" : "poor" };
      },
      send_picture: () => (connected() && device.network !== "2g" ? "Sent." : "Not sent."),
    };
    const faults = [
      device.airplane && call("toggle_airplane_mode"),
      !device.seated && call("reseat_sim"),
      !device.data && call("toggle_mobile_data"),
      device.saver && call("toggle_data_saver"),
      device.network > "4g" && call("set_network", { mode: "5g" }),
    ].filter((fix) => fix !== false);
    const line_id = mine.line_id;
    const wish = task.between(0, 3);
    const plan_id = task.pick(Object.keys(PLANS));
    const gigabytes = task.between(1, 6);
    function* plan(): Plan {
      const customer_id =
        fieldOf(yield call("find_customer", { number: mine.number }), "customer_id") ?? mine.customer_id;
      yield call("line_details", { line_id });
      if (wish === 0) {
        yield call("change_plan", { line_id, plan: plan_id });
        yield call("bill", { customer_id });
        yield call("pay", { customer_id });
      } else if (wish === 1) {
        yield call("refuel", { line_id, gigabytes });
        yield call("line_details", { line_id });
        yield call("bill", { customer_id });
      } else {
        yield call("status_bar");
        yield call("speed_test");
        for (const fix of faults) yield fix;
        if (mine.status === "suspended") yield call("resume", { line_id });
        if (device.abroad) yield call("set_roaming", { line_id, on: true });
        if (left(mine) <= 0) yield call("refuel", { line_id, gigabytes: 2 });
        yield wish === 2 ? call("speed_test") : call("send_picture");
        yield call("status_bar");
      }
    }
    return {
      request: `My number is ${mine.number}. ${["Plan", "More data", "The internet is slow", "Pictures do not go out"][wish]}${wish === 0 ? ` ${plan_id}` : wish === 1 ? `: ${gigabytes} GB` : device.abroad ? ", I am abroad" : ""}.`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("status_bar"),
          call("speed_test"),
          call("send_picture"),
          call("line_details", { line_id: random.pick(lines).line_id }),
          call("bill", { customer_id: `C${random.between(501, 506)}` }),
          call("toggle_mobile_data"),
          call("toggle_airplane_mode"),
          call("set_network", { mode: random.pick([...MODES, "6g"]) }),
          call("set_roaming", { line_id, on: random.chance(0.5) }),
          call("suspend", { line_id }),
        ]),
    };
  },
};
