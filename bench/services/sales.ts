import { Random } from "./random.ts";
import { type Args, call, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const OWNERS = ["kim", "raul", "sena", "tom"];
const REGIONS = ["north", "south", "west"];
const TIERS = ["bronze", "silver", "gold"];
const STAGES: Readonly<Record<string, number>> = { lead: 10, offer: 40, contract: 75, won: 100, lost: 0 };
const NAMES = ["Arden", "Bluefin", "Corvus", "Delta", "Ember", "Falcon", "Granite", "Harbor", "Iris", "Juniper"];
const SUFFIX = ["Foods", "Logistics", "Media", "Tools"];
const FIELDS = ["name", "region", "tier", "owner", "stage", "value"];
const TODAY = "2025-02-14";

interface Account {
  account_id: string;
  name: string;
  region: string;
  tier: string;
  owner: string;
  stage: string;
  value: number;
  probability: number;
  last_contact: string;
}

/** Every session starts with these accounts. */
function firstAccounts(): Account[] {
  const random = new Random("sales");
  return Array.from({ length: 38 }, (_, i) => {
    const stage = random.pick(Object.keys(STAGES));
    return {
      account_id: `A-${101 + i}`,
      name: `${random.pick(NAMES)} ${random.pick(SUFFIX)}`,
      region: random.pick(REGIONS),
      tier: random.pick(TIERS),
      owner: random.pick(OWNERS),
      stage,
      value: random.between(4, 90) * 500,
      probability: STAGES[stage] as number,
      last_contact: `2025-${random.pick(["01", "02"])}-${String(random.between(1, 13)).padStart(2, "0")}`,
    };
  });
}

/**
 * Customers of a sales team, one first state: filters over several fields in pages, changes of one field, what
 * follows from a stage, totals.
 */
export const sales: InventedService = {
  name: "sales",
  form: "openai",
  refusals: "text",
  tools: [
    tool("find_accounts", "Finds accounts by any of their fields; four a page.", {
      text: "string? part of the name",
      region: "string?",
      tier: "string?",
      owner: "string?",
      stage: "string?",
      min_value: "number?",
      not_contacted_since: "string? date",
      sort: "name|value|last_contact? by account id otherwise",
      page: "integer? 1 by default",
    }),
    tool("get_account", "Shows an account.", { account_id: "string" }),
    tool("set_field", "Changes one field of an account.", { account_id: "string", field: "string", value: "string" }),
    tool("add_account", "Adds an account.", {
      name: "string",
      region: "string",
      owner: "string",
      value: "number",
      tier: "string?",
    }),
    tool("delete_account", "Deletes an account.", { account_id: "string" }),
    tool("log_contact", "Notes that a customer was contacted today.", {
      account_id: "string",
      kind: "call|visit|mail",
    }),
    tool("forecast", "Sums up the open accounts of an owner.", { owner: "string" }),
    tool("reassign", "Gives all accounts of one owner to another.", {
      from_owner: "string",
      to_owner: "string",
      region: "string?",
    }),
  ],
  start(task, _session) {
    let accounts = firstAccounts();
    let next = 101 + accounts.length;
    const accountOf = (id: unknown) => {
      const found = accounts.find((one) => one.account_id === id);
      if (!found) throw new Refusal(`No account with id ${id}.`);
      return found;
    };
    const ownerOf = (name: unknown) => {
      if (!OWNERS.includes(str(name))) throw new Refusal(`'${name}' is not on the team.`);
      return str(name);
    };
    const stageTo = (account: Account, stage: string) => {
      account.stage = stage;
      account.probability = STAGES[stage] as number;
    };
    const handlers = {
      find_accounts: ({ text, region, tier, owner, stage, min_value, not_contacted_since, sort, page }: Args) => {
        const found = accounts.filter(
          (one) =>
            one.name.toLowerCase().includes(str(text).toLowerCase()) &&
            (region === undefined || one.region === region) &&
            (tier === undefined || one.tier === tier) &&
            (owner === undefined || one.owner === owner) &&
            (stage === undefined || one.stage === stage) &&
            one.value >= num(min_value, 0) &&
            (not_contacted_since === undefined || one.last_contact < str(not_contacted_since)),
        );
        if (sort === "name") found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
        if (sort === "value") found.sort((a, b) => b.value - a.value);
        if (sort === "last_contact")
          found.sort((a, b) => (a.last_contact < b.last_contact ? -1 : a.last_contact > b.last_contact ? 1 : 0));
        const at = num(page, 1);
        return { total: found.length, page: at, accounts: found.slice(at * 4 - 4, at * 4) };
      },
      get_account: ({ account_id }: Args) => {
        const one = accountOf(account_id);
        return { ...one, expected: (one.value * one.probability) / 100 };
      },
      set_field: ({ account_id, field, value }: Args) => {
        const one = accountOf(account_id);
        const name = str(field);
        if (!FIELDS.includes(name))
          throw new Refusal(`Field '${name}' cannot be changed. Fields: ${FIELDS.join(", ")}.`);
        if (name === "owner") one.owner = ownerOf(value);
        else if (name === "stage") {
          if (STAGES[str(value)] === undefined) throw new Refusal(`Unknown stage '${value}'.`);
          if (one.stage === "won" || one.stage === "lost")
            throw new Refusal(`Account ${one.account_id} is closed (${one.stage}).`);
          stageTo(one, str(value));
        } else if (name === "tier") {
          if (!TIERS.includes(str(value))) throw new Refusal(`Unknown tier '${value}'.`);
          one.tier = str(value);
        } else if (name === "value") one.value = num(value);
        else if (name === "region") one.region = str(value);
        else one.name = str(value);
        return `Account ${one.account_id} updated.`;
      },
      add_account: ({ name, region, owner, value, tier }: Args) => {
        const account_id = `A-${next++}`;
        const stage = { stage: "lead", probability: STAGES.lead as number };
        accounts.push({
          account_id,
          name: str(name),
          region: str(region),
          tier: str(tier, "bronze"),
          owner: ownerOf(owner),
          ...stage,
          value: num(value),
          last_contact: TODAY,
        });
        return { account_id };
      },
      delete_account: ({ account_id }: Args) => {
        const one = accountOf(account_id);
        accounts = accounts.filter((other) => other !== one);
        return `Account ${one.account_id} deleted.`;
      },
      log_contact: ({ account_id, kind }: Args) => {
        const one = accountOf(account_id);
        one.last_contact = TODAY;
        if (one.stage === "lead" && kind === "visit") stageTo(one, "offer");
        return { account_id: one.account_id, last_contact: TODAY, stage: one.stage };
      },
      forecast: ({ owner }: Args) => {
        const open = accounts.filter(
          (one) => one.owner === ownerOf(owner) && one.stage !== "won" && one.stage !== "lost",
        );
        const sum = (of: (one: Account) => number) => open.reduce((total, one) => total + of(one), 0);
        return {
          owner,
          open: open.length,
          value: sum((one) => one.value),
          expected: sum((one) => (one.value * one.probability) / 100),
        };
      },
      reassign: ({ from_owner, to_owner, region }: Args) => {
        const moved = accounts.filter(
          (one) => one.owner === ownerOf(from_owner) && (region === undefined || one.region === region),
        );
        for (const one of moved) one.owner = ownerOf(to_owner);
        return `${moved.length} accounts moved from ${from_owner} to ${to_owner}.`;
      },
    };
    const one = task.pick(accounts);
    const [owner, to] = task.some(OWNERS, 2) as [string, string];
    const region = task.pick(REGIONS);
    const tier = task.pick(TIERS);
    const stage = task.pick(Object.keys(STAGES));
    const name = `${task.pick(NAMES)} ${task.pick(SUFFIX)}`;
    const goal = task.between(0, 4);
    function* plan(): Plan {
      if (goal === 0) {
        yield call("find_accounts", { text: one.name.split(" ")[0] });
        yield call("get_account", { account_id: one.account_id });
        yield call("set_field", { account_id: one.account_id, field: "stage", value: stage });
        yield call("get_account", { account_id: one.account_id });
        yield call("forecast", { owner: one.owner });
      } else if (goal === 1) {
        yield call("find_accounts", { region, tier });
        yield call("find_accounts", { region, tier, page: 2 });
        yield call("reassign", { from_owner: owner, to_owner: to, region });
        yield call("find_accounts", { owner, region });
        yield call("forecast", { owner: to });
      } else if (goal === 2) {
        yield call("add_account", {
          name,
          region,
          owner,
          value: task.between(2, 40) * 500,
          tier: task.pick([undefined, tier]),
        });
        yield call("find_accounts", { text: name.split(" ")[0], owner });
        yield call("log_contact", { account_id: "A-139", kind: task.pick(["call", "visit", "mail"]) });
        yield call("get_account", { account_id: "A-139" });
      } else if (goal === 3) {
        yield call("find_accounts", { owner, not_contacted_since: "2025-02-01", sort: "last_contact" });
        yield call("log_contact", { account_id: one.account_id, kind: task.pick(["call", "visit"]) });
        yield call("set_field", { account_id: one.account_id, field: "tier", value: tier });
        yield call("find_accounts", { tier, owner: one.owner, sort: task.pick(["value", "name"]) });
      } else {
        yield call("find_accounts", { min_value: task.pick([10000, 20000, 30000]), stage, sort: "value" });
        yield call("set_field", { account_id: one.account_id, field: "owner", value: to });
        yield call("find_accounts", { owner: to, sort: "value" });
        yield call("delete_account", { account_id: one.account_id });
        yield call("get_account", { account_id: one.account_id });
      }
    }
    return {
      request: `${one.name} (${one.account_id}) of ${owner} in the ${region}: bring it to ${stage}, ${tier}, and hand over to ${to} what has to be. New ones are called ${name}.`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("get_account", { account_id: `A-${random.between(101, 140)}` }),
          call("find_accounts", { owner: random.pick(OWNERS), stage: random.pick([undefined, "offer", "lead"]) }),
          call("find_accounts", { region: random.pick(REGIONS), sort: random.pick([undefined, "value"]) }),
          call("find_accounts", { text: random.pick(NAMES) }),
          call("forecast", { owner: random.pick([...OWNERS, "zed"]) }),
          call("set_field", {
            account_id: one.account_id,
            field: random.pick(["phone", "tier", "stage"]),
            value: random.pick(["gold", "offer", "9"]),
          }),
        ]),
    };
  },
};
