import type { BaseState, Bundle } from "../../bundle.ts";
import type { OutOfFold } from "../../compile/out-of-fold.ts";
import { digestOf } from "../../digest.ts";
import { withStart } from "../../starts.ts";
import { neighbourhood } from "../neighbourhood.ts";
import type { Certificate, ReviewVerdict, Task } from "../schema.ts";

/**
 * The version of what proves: how worlds answer, how checks decide, what a review tries. Raised with every change by
 * which one of them says something else; a test over tasks that earlier versions certified fails until it is.
 */
export const ENGINE = 9;
/** What proved before certificates named it. */
const UNNAMED = 1;

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
  const { base } = withStart(env, task);
  const bundle = once(env.bundle, () => ({ ...env.bundle, tools: [] }));
  return {
    world: digestOf([bundle, once(base, () => base)]),
    tools: once(env.bundle.tools, () => env.bundle.tools),
    checks: checksDigest(task),
  };
}

function checksDigest({ start, request, turns, user, script, alternatives, checks }: Task): string {
  const begins = { ...(start === undefined ? {} : { start }), ...(user === undefined ? {} : { user }) };
  return digestOf({ ...begins, request, turns, script, ...(alternatives ? { alternatives } : {}), checks });
}

/** A certificate over the first four verdicts and the world measured around the task; `natural` stands beside and decides nothing. */
export function certify(
  task: Task,
  env: { readonly bundle: Bundle; readonly base: BaseState },
  verdicts: readonly ReviewVerdict[],
  measured?: OutOfFold,
): Certificate {
  const proven = verdicts.filter((v) => v.name !== "natural");
  const around = neighbourhood(task, withStart(env, task).base, measured);
  return {
    engine: ENGINE,
    ...certificateTerms(task, env),
    passed: proven.length === 4 && proven.every((v) => v.passed),
    verdicts: proven,
    ...(around === undefined ? {} : { neighbourhood: around }),
  };
}

/**
 * Why a certificate no longer proves its task, by what can be told without the world; undefined where it does. That it
 * names the world served is held by whatever changes an environment's draw.
 */
export function lapse(certificate: Certificate, task: Task): "engine" | "task" | undefined {
  if ((certificate.engine ?? UNNAMED) !== ENGINE) return "engine";
  return certificate.checks === checksDigest(task) ? undefined : "task";
}

/** Whether a certificate proves the task on this world. */
export function stands(
  certificate: Certificate,
  task: Task,
  env: { readonly bundle: Bundle; readonly base: BaseState },
): boolean {
  const now = certificateTerms(task, env);
  return (
    certificate.passed &&
    lapse(certificate, task) === undefined &&
    certificate.world === now.world &&
    certificate.tools === now.tools
  );
}
