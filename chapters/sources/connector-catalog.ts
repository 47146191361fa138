import { z } from "zod";
import type { ConnectorTier } from "../records/sources/sources.ts";

/** A kind of system that connectors open, and what any standard connector of it is evaluated on. */
export const ConnectorCategory = z.object({
  id: z.string(),
  name: z.string(),
  /** Inherited by every standard connector of the category. */
  eval_set: z.object({ id: z.string(), families: z.array(z.string()) }),
});
type ConnectorCategory = z.infer<typeof ConnectorCategory>;

const category = (id: string, name: string, ...families: string[]): ConnectorCategory => ({
  id,
  name,
  eval_set: { id: `${id}-v1`, families },
});

/** Every category, with the task families that show a connector of it to work. */
export const CATEGORIES: readonly ConnectorCategory[] = [
  category("code", "Code hosting", "lookup", "filter", "multi_hop", "write", "guarded_write", "no_data"),
  category("tracking", "Work tracking", "lookup", "filter", "aggregate", "write", "multi_write", "ambiguous"),
  category("chat", "Messages and mail", "lookup", "filter", "write", "ambiguous", "no_data"),
  category("documents", "Documents and files", "lookup", "filter", "multi_hop", "write", "no_data"),
  category(
    "customers",
    "Customers and support",
    "lookup",
    "filter",
    "multi_hop",
    "write",
    "guarded_write",
    "ambiguous",
  ),
  category("commerce", "Payments and shops", "lookup", "aggregate", "write", "multi_write", "guarded_write", "no_data"),
  category("databases", "Databases and warehouses", "lookup", "filter", "aggregate", "multi_hop", "no_data"),
  category("operations", "Observability and cloud", "lookup", "filter", "aggregate", "guarded_write", "no_data"),
  category("web", "Web and browsing", "lookup", "filter", "no_data"),
  category("planning", "Calendars and scheduling", "lookup", "filter", "write", "guarded_write", "ambiguous"),
];

/** A row that every org's catalog begins with. No version and no rate: those are measured, per org. */
export interface CatalogRow {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly tier: z.infer<typeof ConnectorTier>;
}

const row = (id: string, name: string, of: string, tier: CatalogRow["tier"] = "standard"): CatalogRow => ({
  id,
  name,
  category: of,
  tier,
});

/** The tool servers that agents commonly use. */
export const CATALOG: readonly CatalogRow[] = [
  row("github", "GitHub", "code"),
  row("gitlab", "GitLab", "code"),
  row("bitbucket", "Bitbucket", "code", "experimental"),
  row("git", "Git", "code"),
  row("jira", "Jira", "tracking"),
  row("linear", "Linear", "tracking"),
  row("asana", "Asana", "tracking"),
  row("trello", "Trello", "tracking", "experimental"),
  row("monday", "monday.com", "tracking", "experimental"),
  row("slack", "Slack", "chat"),
  row("gmail", "Gmail", "chat"),
  row("outlook", "Microsoft Outlook", "chat"),
  row("microsoft-teams", "Microsoft Teams", "chat", "experimental"),
  row("discord", "Discord", "chat", "experimental"),
  row("twilio", "Twilio", "chat", "experimental"),
  row("notion", "Notion", "documents"),
  row("confluence", "Confluence", "documents"),
  row("google-drive", "Google Drive", "documents"),
  row("sharepoint", "SharePoint", "documents", "experimental"),
  row("box", "Box", "documents", "experimental"),
  row("dropbox", "Dropbox", "documents", "experimental"),
  row("filesystem", "Files", "documents"),
  row("memory", "Knowledge graph memory", "documents"),
  row("figma", "Figma", "documents", "experimental"),
  row("salesforce", "Salesforce", "customers"),
  row("hubspot", "HubSpot", "customers"),
  row("zendesk", "Zendesk", "customers"),
  row("intercom", "Intercom", "customers", "experimental"),
  row("servicenow", "ServiceNow", "customers", "experimental"),
  row("stripe", "Stripe", "commerce"),
  row("paypal", "PayPal", "commerce", "experimental"),
  row("square", "Square", "commerce", "experimental"),
  row("shopify", "Shopify", "commerce"),
  row("postgresql", "PostgreSQL", "databases"),
  row("mysql", "MySQL", "databases", "experimental"),
  row("sqlite", "SQLite", "databases"),
  row("mongodb", "MongoDB", "databases", "experimental"),
  row("snowflake", "Snowflake", "databases"),
  row("bigquery", "BigQuery", "databases"),
  row("airtable", "Airtable", "databases", "experimental"),
  row("datadog", "Datadog", "operations"),
  row("grafana", "Grafana", "operations"),
  row("sentry", "Sentry", "operations"),
  row("pagerduty", "PagerDuty", "operations"),
  row("aws", "Amazon Web Services", "operations", "experimental"),
  row("cloudflare", "Cloudflare", "operations", "experimental"),
  row("kubernetes", "Kubernetes", "operations", "experimental"),
  row("fetch", "Web fetch", "web"),
  row("brave-search", "Brave Search", "web", "experimental"),
  row("playwright", "Playwright", "web"),
  row("google-calendar", "Google Calendar", "planning"),
  row("calendly", "Calendly", "planning", "experimental"),
];
