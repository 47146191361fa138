import type { Finding } from "../../../../chapters/findings/render/finding.ts";

/** Text as an attacker would put it into a trace: a mention, a link, markup, a reference, a direction change. */
export const HOSTILE =
  "<!channel> @everyone <@U123> [win](http://evil.example/x) www.evil.example <img src=x onerror=alert(1)> a@evil.example #123 **bold** `code` \u202etxt\r\nBcc: x@evil.example | cell";

/** A finding whose names and requests are hostile. */
export function hostileFinding(some: Partial<Finding> = {}): Finding {
  const arm = {
    group: "rg_1",
    name: HOSTILE,
    version: "1.0",
    met: 10,
    valid: 12,
    infra: 1,
    invalid: 0,
    low: 0.55,
    high: 0.95,
  };
  return {
    org: "acme",
    main: arm,
    tested: { ...arm, group: "rg_2", version: HOSTILE, met: 6, infra: 0, invalid: 2, low: 0.25, high: 0.75 },
    n: 12,
    refused: 1,
    difference: -1 / 3,
    confidence: 96.9,
    words: "shown",
    p: 0.03125,
    causes: [{ cause: "wrong_argument", trials: 4 }],
    tasks: [
      {
        label: HOSTILE,
        index: 3,
        family: "write",
        request: HOSTILE,
        main: { met: 1, valid: 1 },
        tested: { met: 0, valid: 1 },
        causes: [{ cause: "wrong_argument", trials: 1 }],
      },
    ],
    tasks_total: 4,
    cites: ["run_1/tk_1/1"],
    tier: "deterministic",
    example: false,
    at: 1_790_000_000,
    ...some,
  };
}
