import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { type ConsoleRoute, shows } from "./route.ts";
import type { View, Visit } from "./visit.ts";

interface Ended {
  readonly source: string | null;
  readonly state: "connected" | "refused";
}
interface Source {
  readonly label: string;
  readonly scope: { readonly site?: string };
  readonly consent: string;
}

/** Where a vendor's consent page sends a person back to: only an admin of the org that asked can end what was begun. */
export const consentPages: readonly ConsoleRoute[] = [
  shows("/consent/obs", async (visit) => {
    visit.needsAdmin();
    const given = ["state", "code", "domain", "error"].flatMap((name) => {
      const value = visit.query.get(name);
      return value === null || value === "" ? [] : [[name, value]];
    });
    const args = { ...Object.fromEntries(given), by: visit.member.name };
    const { source, state } = await visit.call<Ended>("sources_obs_oauth_callback", args);
    // The address with the code is left: loading it again would be a consent that was used.
    return { to: `/console/consent/obs/${state === "refused" || source === null ? "refused" : source}` };
  }),
  shows("/consent/obs/refused", async (visit) =>
    told(visit, "Nothing was connected: the consent was refused.", "Start again where you began, and agree there."),
  ),
  shows("/consent/obs/:source", async (visit) => {
    const { label, scope, consent } = await visit.call<Source>("sources_get", { sid: visit.param("source") });
    const what = `${label} at ${scope.site ?? "the vendor"} is connected to ${visit.org.tag}.`;
    const next = consent === "granted" ? "Its first pull has begun." : "Nothing is pulled before consent is granted.";
    return told(visit, what, `${next} You can close this page.`);
  }),
];

function told(visit: Visit, text: string, how: string): View {
  const verdict = { text, tone: "plain", tier: "deterministic", how } as const;
  const doc: PageDoc = { v: 1, title: "Observability vendor", made_at: visit.ctx.now(), verdict, sections: [] };
  return { doc };
}
