import { Recording } from "./http-archive.ts";

const OWNERS = ["ada", "bob", "cyd"];
const problem = (code: string, message: string) => ({ error: { code, message } });

/**
 * 196 exchanges with one API that never contradicts itself: parcels are created for owners that exist, read back, changed
 * while they are open, closed, and deleted for good.
 */
export function parcelsHar(): object {
  const recording = new Recording("https://api.parcels.example");
  const parcels = new Map<string, { id: string; owner: string; label: string; weight: number; state: string }>();
  const ask = (method: string, id: string, status: number, body?: unknown, sent?: unknown) =>
    recording.add(method, `/v1/parcels/${id}`, status, body, sent);
  const read = (id: string) => ask("GET", id, 200, parcels.get(id));
  const change = (id: string, sent: object) => {
    const now = { ...parcels.get(id)!, ...sent };
    parcels.set(id, now);
    ask("PATCH", id, 200, now, sent);
  };
  for (let i = 0; i < 40; i++) {
    const sent = { owner: OWNERS[i % 3]!, label: `Crate ${i}`, weight: 3 + ((i * 7) % 11) };
    const made = { id: `prc-${4100 + i}`, ...sent, state: "open" };
    parcels.set(made.id, made);
    recording.add("POST", "/v1/parcels", 201, made, sent);
    read(made.id);
    if (i % 4 !== 3) continue;
    const nobody = `nobody${i}`;
    const refusal = problem("unknown_owner", `Owner ${nobody} does not exist`);
    recording.add("POST", "/v1/parcels", 422, refusal, { ...sent, owner: nobody });
  }
  const ids = [...parcels.keys()];
  for (const [i, id] of ids.slice(0, 16).entries()) {
    change(id, { label: `Renamed ${i}` });
    read(id);
  }
  for (const [i, id] of ids.slice(0, 14).entries()) {
    change(id, { state: "closed" });
    read(id);
    ask("PATCH", id, 409, problem("closed", `Parcel ${id} is closed`), { label: `Renamed ${i + 20}` });
  }
  for (const id of ids.slice(30, 38)) {
    ask("DELETE", id, 204);
    ask("GET", id, 404, problem("not_found", `Parcel ${id} does not exist`));
    ask("DELETE", id, 404, problem("not_found", `Parcel ${id} does not exist`));
  }
  for (const id of ids.slice(16, 24)) read(id);
  return recording.har();
}
