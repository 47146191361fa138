import { putSecret, type SecretName } from "../../../chapters/organization/secrets.ts";
import type { Invoke, SurfaceTest } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { runToEnd, shopIn } from "../runs/kit.ts";

/** Leaves a secret with the org, as the operator or a connection would. */
export function leaveSecret({ app, org }: SurfaceTest, name: SecretName, value: string): Promise<void> {
  return putSecret(ctxOf(app.service, org), name, value, "ann");
}

/** A member, and a way to get their confirm for a send. */
export async function memberOf(invoke: Invoke, { app }: SurfaceTest) {
  const member: string = (await invoke("members_post", { email: "ann@example.com", name: "Ann" })).body.id;
  const confirm = async (channel: string, group: string, target?: string): Promise<string> => {
    const args = { orgtag: "acme", member, channel, group, ...(target === undefined ? {} : { target }) };
    const given = await invoke("delivery_confirm", args, app.operator);
    if (given.status !== 200) throw new Error(JSON.stringify(given.body));
    return given.body.confirm;
  };
  return { member, confirm };
}

/** Two landed groups on the same four tasks: one that meets them and one that does nothing. */
export async function twoGroups(invoke: Invoke, { app, org }: SurfaceTest, tasks = 4) {
  const { environment } = await shopIn(app.service, org.id, tasks);
  const main = (await runToEnd(invoke, { harness: "reference", environment })).group;
  const group = (await runToEnd(invoke, { harness: "null", environment })).group;
  return { main, group, environment };
}
