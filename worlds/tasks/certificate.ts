import type { BaseState, Bundle } from "../bundle.ts";
import { digestOf } from "../digest.ts";
import type { Certificate, ReviewVerdict, Task } from "./schema.ts";

const known = new WeakMap<object, string>();
function once(value: object, of: () => unknown): string {
  let text = known.get(value);
  if (text === undefined) {
    text = digestOf(of());
    known.set(value, text);
  }
  return text;
}

/**
 * The digests that a certificate is bound to: the world (behaviour and drawn rows), the tools as listed, and the
 * task's request, turns, scripts and checks. SHA-256 of canonical JSON.
 */
export function certificateTerms(
  task: Task,
  env: { readonly bundle: Bundle; readonly base: BaseState },
): Pick<Certificate, "world" | "tools" | "checks"> {
  const bundle = once(env.bundle, () => ({ ...env.bundle, tools: [] }));
  return {
    world: digestOf([bundle, once(env.base, () => env.base)]),
    tools: once(env.bundle.tools, () => env.bundle.tools),
    checks: digestOf({
      request: task.request,
      turns: task.turns,
      script: task.script,
      ...(task.alternatives ? { alternatives: task.alternatives } : {}),
      checks: task.checks,
    }),
  };
}

/** A certificate over the first four verdicts; `natural` is told beside and decides nothing. */
export function certify(
  task: Task,
  env: { readonly bundle: Bundle; readonly base: BaseState },
  verdicts: readonly ReviewVerdict[],
): Certificate {
  const proven = verdicts.filter((v) => v.name !== "natural");
  return {
    ...certificateTerms(task, env),
    passed: proven.length === 4 && proven.every((v) => v.passed),
    verdicts: proven,
  };
}

/** Whether a certificate still stands for the task on this world. */
export function stands(
  certificate: Certificate,
  task: Task,
  env: { readonly bundle: Bundle; readonly base: BaseState },
): boolean {
  const now = certificateTerms(task, env);
  return (
    certificate.passed &&
    certificate.world === now.world &&
    certificate.tools === now.tools &&
    certificate.checks === now.checks
  );
}
