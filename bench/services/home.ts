import { type Args, call, cents, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const PLANS: Readonly<Record<string, { price: number; gigabytes: number }>> = {
  light: { price: 19.9, gigabytes: 20 },
  family: { price: 34.5, gigabytes: 100 },
  max: { price: 49, gigabytes: 400 },
};
const ADD_ONS: Readonly<Record<string, number>> = { roaming: 7.5, security: 3, tv: 12 };
const CLASSES = ["overdue", "travel", "full", "offline", "moving"] as const;
type Class = (typeof CLASSES)[number];

interface Invoice {
  number: string;
  amount: number;
  status: string;
}

/** What every task of a class starts with. */
function firstState(kind: Class) {
  const invoices: Invoice[] = [
    { number: "R-2201", amount: 34.5, status: "paid" },
    { number: "R-2202", amount: 41.25, status: kind === "overdue" ? "overdue" : "paid" },
    { number: "R-2203", amount: kind === "moving" ? 99 : 34.5, status: kind === "overdue" ? "open" : "paid" },
  ];
  if (kind === "moving") (invoices[2] as Invoice).status = "open";
  return {
    invoices,
    plan: kind === "full" ? "light" : kind === "moving" ? "max" : "family",
    used: kind === "full" ? 20 : kind === "travel" ? 61.5 : 12.25,
    extra: 0,
    addOns: new Set(kind === "travel" ? ["security"] : ["tv"]),
    suspended: kind === "overdue",
    powered: kind !== "offline",
    flight: kind === "travel",
    sim: kind === "offline" ? "locked" : "ready",
    pinTries: 3,
    roaming: false,
    abroad: kind === "travel",
    wifi: kind === "moving" ? "OldFlat" : "Home",
    guests: false,
    paused: [] as string[],
  };
}

const GADGETS = ["television", "tablet", "doorbell", "laptop"];

/**
 * A household's mobile router and its account: settings, the SIM, the plan, add-ons and unpaid invoices decide together
 * what the router shows; all tasks of a class start alike. Answers are sentences, labelled lines and tables.
 */
export const home: InventedService = {
  name: "home",
  form: "openai",
  refusals: "text",
  tools: [
    tool("router_status", "What the router's display shows."),
    tool("power", "Switches the router on or off.", { on: "boolean" }),
    tool("flight_mode", "Switches the router's radio off or on.", { on: "boolean" }),
    tool("enter_pin", "Unlocks the SIM; three wrong PINs block it.", { pin: "string" }),
    tool("set_roaming", "Lets the router use networks abroad, or not.", { on: "boolean" }),
    tool("set_wifi", "Renames the Wi-Fi or opens one for guests.", { name: "string?", guests: "boolean?" }),
    tool("pause_gadget", "Keeps a gadget off the internet.", { gadget: "string" }),
    tool("resume_gadget", "Lets a gadget back on the internet.", { gadget: "string" }),
    tool("gadgets", "Lists the gadgets and whether each is online."),
    tool("test_connection", "Measures the speed."),
    tool("account", "Shows the account."),
    tool("invoices", "Lists invoices as a table.", { status: "paid|open|overdue?" }),
    tool("pay_invoice", "Pays an invoice.", { number: "string" }),
    tool("change_plan", "Changes the plan.", { plan: "light|family|max" }),
    tool("buy_data", "Buys data for 1.50 a gigabyte, billed by a new invoice.", { gigabytes: "number" }),
    tool("add_on", "Books or cancels an add-on.", { name: "roaming|security|tv", booked: "boolean" }),
  ],
  start(task, _session) {
    const kind = task.pick(CLASSES);
    const state = firstState(kind);
    const left = () => cents((PLANS[state.plan]?.gigabytes ?? 0) + state.extra - state.used);
    const owed = () =>
      cents(state.invoices.filter(({ status }) => status !== "paid").reduce((sum, { amount }) => sum + amount, 0));
    const monthly = () =>
      cents((PLANS[state.plan]?.price ?? 0) + [...state.addOns].reduce((sum, name) => sum + num(ADD_ONS[name]), 0));
    const trouble = (): string | undefined => {
      if (!state.powered) return "no power";
      if (state.flight) return "radio off";
      if (state.sim !== "ready") return `SIM ${state.sim}`;
      if (state.suspended) return "account suspended";
      if (state.abroad && !state.addOns.has("roaming")) return "roaming not booked";
      if (state.abroad && !state.roaming) return "roaming off";
      return left() <= 0 ? "data used up" : undefined;
    };
    const on = () => {
      if (!state.powered) throw new Refusal("The router does not respond.");
    };
    const gadgetOf = (name: unknown) => {
      if (!GADGETS.includes(str(name))) throw new Refusal(`There is no gadget called ${name}.`);
      return str(name);
    };
    const active = () => {
      if (state.suspended) throw new Refusal("Sorry, the account is suspended until overdue invoices are paid.");
    };
    const handlers = {
      router_status: () => {
        if (!state.powered) return "(dark)";
        const light = trouble() === undefined ? "green" : left() <= 0 ? "yellow" : "red";
        return [
          `Light: ${light}`,
          `Network: ${state.flight || state.sim !== "ready" ? "-" : state.abroad ? "abroad" : "home"}`,
          `Wi-Fi: ${state.wifi}${state.guests ? ` (+ ${state.wifi}-guests)` : ""}`,
          `Message: ${trouble() ?? "all well"}`,
        ].join("\n");
      },
      power: ({ on: wanted }: Args) => {
        if (state.powered === wanted) return `It is ${wanted ? "on" : "off"} already.`;
        state.powered = wanted === true;
        if (state.powered) state.flight = false;
        else if (state.sim === "ready" && kind === "offline") state.sim = "locked";
        return state.powered ? "The router starts." : "The router is off.";
      },
      flight_mode: ({ on: wanted }: Args) => {
        on();
        state.flight = wanted === true;
        return `Flight mode ${state.flight ? "on" : "off"}.`;
      },
      enter_pin: ({ pin }: Args) => {
        on();
        if (state.sim === "blocked") throw new Refusal("The SIM is blocked.");
        if (state.sim === "ready") return "No PIN is needed.";
        if (pin === "4711") {
          state.sim = "ready";
          state.pinTries = 3;
          return "PIN accepted.";
        }
        state.pinTries--;
        if (state.pinTries === 0) state.sim = "blocked";
        throw new Refusal(
          state.pinTries === 0 ? "Wrong PIN. The SIM is blocked." : `Wrong PIN, ${state.pinTries} tries left.`,
        );
      },
      set_roaming: ({ on: wanted }: Args) => {
        on();
        state.roaming = wanted === true;
        return `Roaming ${state.roaming ? "on" : "off"}.`;
      },
      set_wifi: ({ name, guests }: Args) => {
        on();
        if (name !== undefined && !/^\w{3,12}$/.test(str(name)))
          throw new Refusal("A name has 3 to 12 letters or digits.");
        state.wifi = str(name, state.wifi);
        if (guests !== undefined) state.guests = guests === true;
        return "Saved.";
      },
      pause_gadget: ({ gadget }: Args) => {
        on();
        if (state.paused.includes(gadgetOf(gadget))) throw new Refusal(`The ${gadget} is paused already.`);
        state.paused.push(str(gadget));
        return `Paused: ${state.paused.join(", ")}`;
      },
      resume_gadget: ({ gadget }: Args) => {
        on();
        if (!state.paused.includes(gadgetOf(gadget))) throw new Refusal(`The ${gadget} is not paused.`);
        state.paused = state.paused.filter((one) => one !== gadget);
        return `Paused: ${state.paused.join(", ") || "none"}`;
      },
      gadgets: () =>
        GADGETS.map(
          (gadget) =>
            `${gadget}: ${state.paused.includes(gadget) ? "paused" : trouble() === undefined ? "online" : "offline"}`,
        ).join("\n"),
      test_connection: () => {
        const why = trouble();
        if (why !== undefined) return `No connection: ${why}.`;
        const share = GADGETS.length - state.paused.length + (state.guests ? 2 : 0);
        return `${cents((state.abroad ? 24 : 150) / Math.max(1, share))} Mbit/s for each of ${share} gadgets`;
      },
      account: () =>
        [
          `Plan: ${state.plan} (${monthly().toFixed(2)} a month)`,
          `Add-ons: ${[...state.addOns].sort().join(", ") || "none"}`,
          `Data left: ${Math.max(0, left())} GB`,
          `Owed: ${owed().toFixed(2)}`,
          `Status: ${state.suspended ? "suspended" : "active"}`,
        ].join("\n"),
      invoices: ({ status }: Args) => {
        const found = state.invoices.filter((one) => status === undefined || one.status === status);
        if (found.length === 0) return "No invoices.";
        return [
          "number | amount | status",
          ...found.map(({ number, amount, status }) => `${number} | ${amount.toFixed(2)} | ${status}`),
        ].join("\n");
      },
      pay_invoice: ({ number }: Args) => {
        const found = state.invoices.find((one) => one.number === number);
        if (!found) throw new Refusal(`There is no invoice ${number}.`);
        if (found.status === "paid") throw new Refusal(`Invoice ${number} is paid.`);
        found.status = "paid";
        state.suspended = state.invoices.some(({ status }) => status === "overdue");
        return `Thank you, ${found.amount.toFixed(2)} received.`;
      },
      change_plan: ({ plan }: Args) => {
        active();
        if (PLANS[str(plan)] === undefined) throw new Refusal(`We have no plan ${plan}.`);
        if (state.plan === plan) throw new Refusal(`You are on ${plan} already.`);
        state.plan = str(plan);
        return `Welcome to ${plan}.`;
      },
      buy_data: ({ gigabytes }: Args) => {
        active();
        const wanted = num(gigabytes);
        if (!(wanted >= 1 && wanted <= 50)) throw new Refusal("Choose 1 to 50 gigabytes.");
        state.extra += wanted;
        const number = `R-${2201 + state.invoices.length}`;
        state.invoices.push({ number, amount: cents(wanted * 1.5), status: "open" });
        return `${wanted} GB added, see invoice ${number}.`;
      },
      add_on: ({ name, booked }: Args) => {
        active();
        if (ADD_ONS[str(name)] === undefined) throw new Refusal(`We have no add-on ${name}.`);
        if (state.addOns.has(str(name)) === booked) return `No change: ${name} is ${booked ? "" : "not "}booked.`;
        if (booked === true) state.addOns.add(str(name));
        else state.addOns.delete(str(name));
        return `Done. You now pay ${monthly().toFixed(2)} a month.`;
      },
    };
    const gadget = task.pick(GADGETS);
    const gigabytes = task.pick([2, 5, 10, 25]);
    const plan_to = task.pick(Object.keys(PLANS));
    const wifi = task.pick(["Attic", "Balcony7", "NewFlat"]);
    function* plan(): Plan {
      yield call("router_status");
      if (kind === "overdue") {
        const table = str(yield call("invoices", { status: task.pick([undefined, "overdue"]) }));
        for (const [, number] of table.matchAll(/(R-\d+) \| [\d.]+ \| o/g)) yield call("pay_invoice", { number });
        yield call("account");
      } else if (kind === "travel") {
        yield call("flight_mode", { on: false });
        yield call("add_on", { name: "roaming", booked: true });
        yield call("set_roaming", { on: true });
        yield call("pause_gadget", { gadget });
      } else if (kind === "full") {
        yield call("account");
        yield task.chance(0.5) ? call("buy_data", { gigabytes }) : call("change_plan", { plan: plan_to });
        yield call("account");
        yield call("invoices", { status: task.pick([undefined, "open"]) });
      } else if (kind === "offline") {
        yield call("power", { on: true });
        if (task.chance(0.4)) yield call("enter_pin", { pin: "0000" });
        yield call("enter_pin", { pin: "4711" });
        yield call("gadgets");
      } else {
        yield call("set_wifi", { name: wifi, guests: task.pick([undefined, true]) });
        yield call("change_plan", { plan: plan_to });
        yield call("add_on", { name: task.pick(Object.keys(ADD_ONS)), booked: task.chance(0.5) });
        yield call("pay_invoice", { number: "R-2203" });
        yield call("account");
      }
      yield call("test_connection");
      yield call("router_status");
    }
    return {
      request: `${{ overdue: "We have no internet, is it the bill?", travel: `We are abroad and nothing works. The ${gadget} may stay off.`, full: `The data is used up: ${gigabytes} GB more, or plan ${plan_to}.`, offline: "The router is dark. The PIN is 4711.", moving: `We moved: call the Wi-Fi ${wifi}, and put us on ${plan_to}.` }[kind]}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("account"),
          call("invoices", { status: random.pick([undefined, "paid", "open"]) }),
          call("gadgets"),
          call("test_connection"),
          call("pause_gadget", { gadget: random.pick([gadget, "toaster"]) }),
          call("resume_gadget", { gadget: random.pick(GADGETS) }),
          call("pay_invoice", { number: `R-220${random.between(1, 5)}` }),
          call("power", { on: random.chance(0.7) }),
          call("enter_pin", { pin: random.pick(["1234", "4711"]) }),
          call("buy_data", { gigabytes: random.pick([0, 1, 5]) }),
        ]),
    };
  },
};
