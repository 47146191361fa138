import { setTimeout as sleep } from "node:timers/promises";
import type { TestApp, TestOrg } from "../app.ts";
import { type LiveWorld, WorldCaller } from "./live-worlds.ts";

/** What an org of the load works with; `mark` stands in everything it sends and in nothing that another sends. */
export interface LoadedOrg {
  readonly org: TestOrg;
  readonly mark: string;
  readonly environment: string;
  readonly agent: string | undefined;
  readonly world: LiveWorld;
  readonly customer: string;
}

/** What was asked of the service, and what it answered. */
export interface Account {
  /** Records of evidence that were accepted: the names of their traces. */
  readonly accepted: string[];
  /** Emails that the world's answers confirmed, in order. */
  readonly confirmed: string[];
  /** Groups that were started, with how many trials each is to have, and their jobs. */
  readonly groups: { readonly group: string; readonly job: string; readonly trials: number }[];
  /** Answers that held another org's mark, or were given for another org's record. */
  readonly leaks: string[];
  /** Refusals and broken connections: whether they took effect is unknown. */
  broken: number;
  calls: number;
}

const account = (): Account => ({ accepted: [], confirmed: [], groups: [], leaks: [], broken: 0, calls: 0 });

/** Loads a service with several orgs' work until `until` says so; answers each org's account. */
export async function load(app: TestApp, orgs: readonly LoadedOrg[], ended: () => boolean): Promise<Account[]> {
  const accounts = orgs.map(account);
  const loops = orgs.flatMap((one, i) => {
    const own = accounts[i] as Account;
    const others = orgs.filter((other) => other !== one);
    return [ingest(app, one, own), write(app, one, own), runs(app, one, own), look(app, one, others, own, accounts)];
  });
  await Promise.all(
    loops.map(async (step) => {
      for (let n = 0; !ended(); n++) await step(n);
    }),
  );
  return accounts;
}

type Step = (n: number) => Promise<void>;

/** A request that a killed server may leave without an answer: undefined then, and for 5xx and 429. */
async function attempt(own: Account, app: TestApp, ...request: Parameters<TestApp["rest"]>) {
  try {
    const answer = await app.rest(...request);
    if (answer.status < 500 && answer.status !== 429) {
      own.calls += 1;
      return answer;
    }
  } catch {
    // Counted below.
  }
  own.broken += 1;
  await sleep(50);
  return undefined;
}

function ingest(app: TestApp, { org, mark }: LoadedOrg, own: Account): Step {
  return async (n) => {
    const names = [0, 1, 2].map((i) => `${mark}-${n}-${i}`);
    const content = names.map((id) => ({
      id,
      messages: [
        { role: "user", content: `${mark}: where is my order ${id}?` },
        { role: "assistant", content: `It is on its way, ${id}.` },
      ],
    }));
    const answer = await attempt(own, app, "POST", "/v0/evidence", { surface: `s${n % 3}`, content }, org.push);
    if (answer?.status === 201 || answer?.status === 200) own.accepted.push(...names);
    else if (answer) throw new Error(`evidence was refused with ${answer.status}: ${answer.text}`);
  };
}

function write(app: TestApp, { world, customer, mark }: LoadedOrg, own: Account): Step {
  const caller = new WorldCaller(app.url, 1);
  return async (n) => {
    const email = `${mark}.${n}@example.com`;
    try {
      const answer = await caller.call(world, "update_email", { customer_id: customer, email });
      if (answer.startsWith("Error: unavailable")) throw new Error(answer);
      own.confirmed.push(email);
      own.calls += 1;
    } catch {
      own.broken += 1;
      await sleep(50);
    }
  };
}

function runs(app: TestApp, { org, environment, agent }: LoadedOrg, own: Account): Step {
  let waits: string | undefined;
  return async () => {
    if (waits !== undefined) {
      const answer = await attempt(own, app, "GET", `/v0/jobs/${waits}`, undefined, org.push);
      if (answer && answer.body.ended_at !== null) waits = undefined;
      else await sleep(200);
      return;
    }
    const what = agent === undefined ? { harness: "reference", trials: 4 } : { agent, trials: 1 };
    const path = `/v0/orgs/${org.tag}/runs/start`;
    const answer = await attempt(own, app, "POST", path, { environment, ...what }, org.push);
    if (answer === undefined) return;
    // 200: an earlier start that broke under way had taken effect, and this is its run.
    if (answer.status !== 202 && answer.status !== 200)
      throw new Error(`a run was refused with ${answer.status}: ${answer.text}`);
    own.groups.push({ group: answer.body.group, job: answer.body.job, trials: answer.body.trials });
    waits = answer.body.job;
  };
}

/** Reads the org's own lists, and asks for others' records with its own token. */
function look(
  app: TestApp,
  { org }: LoadedOrg,
  others: readonly LoadedOrg[],
  own: Account,
  accounts: readonly Account[],
): Step {
  const lists = ["/v0/evidence", `/v0/orgs/${org.tag}/runs/groups`, `/v0/orgs/${org.tag}/sandboxes`];
  return async (n) => {
    const list = lists[n % lists.length] as string;
    const answer = await attempt(own, app, "GET", list, undefined, org.read);
    if (answer && answer.status !== 200) throw new Error(`${list} answered ${answer.status}: ${answer.text}`);
    const theirs = accounts.filter((each) => each !== own).flatMap(({ groups }) => groups.slice(-3));
    const strange = [...others.map(({ mark }) => mark), ...theirs.map(({ group }) => group)];
    if (answer && strange.some((text) => answer.text.includes(text))) own.leaks.push(`${list}: ${answer.text}`);
    for (const { job, group } of theirs.slice(0, 1))
      for (const path of [`/v0/jobs/${job}`, `/v0/orgs/${org.tag}/runs/group/${group}`]) {
        const refused = await attempt(own, app, "GET", path, undefined, org.admin);
        if (refused && refused.status !== 404) own.leaks.push(`${path}: ${refused.status}`);
      }
    await sleep(100);
  };
}
