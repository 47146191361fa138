import { byField, recordId, words } from "../fields.ts";
import { DataAccess } from "../records/evidence/evidence.ts";
import { Cadence } from "../records/sources/sources.ts";

/** Which of a vendor's sites. */
export const site = words(60).describe("The vendor's site, such as `datadoghq.com` or `datadoghq.eu`.");

const name = words(200);

/** What is pulled from a vendor and where it goes. */
export const wanted = {
  site,
  service: name.optional().describe("Only spans of this service."),
  surface: words(100).optional().describe("The surface its evidence joins; `main` when absent."),
  ml_app: name.optional().describe("The application whose spans are pulled."),
  requests_ml_app: name.optional().describe("A second application whose spans hold the users' requests."),
  requests_select: words(1000).optional().describe("Which of those spans, in the vendor's query words."),
  label: name.optional(),
  cadence: Cadence.optional().describe("How often it is pulled by itself."),
  data_access: DataAccess.optional().describe("`anonymized` when absent."),
  ...byField,
};

/** The source of a route. */
export const sid = recordId("source");
