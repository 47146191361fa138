import type { OrgStore, ServiceStore } from "../chapters/ports/store.ts";
import type { Engine } from "./engine.ts";
import { AttributeRepository } from "./repositories/attributes.ts";
import { AuditRepository, orgChain, WORKSPACE_CHAIN } from "./repositories/audit.ts";
import { BlobRepository } from "./repositories/blobs.ts";
import { ClaimRepository } from "./repositories/claims.ts";
import { DeliveryRepository } from "./repositories/deliveries.ts";
import { Directory } from "./repositories/directory.ts";
import { JobRepository } from "./repositories/jobs.ts";
import { JournalRepository } from "./repositories/journals.ts";
import { LedgerRepository } from "./repositories/ledger.ts";
import { OpenRepository } from "./repositories/opens.ts";
import { JobQueue } from "./repositories/queue.ts";
import { RecordRepository } from "./repositories/records.ts";
import { OrgRemoval } from "./repositories/removal.ts";
import { renameOrg } from "./repositories/rename.ts";
import { SearchRepository } from "./repositories/search.ts";
import { TokenRepository } from "./repositories/tokens.ts";
import { TraceRepository } from "./repositories/traces.ts";
import { TrialRepository } from "./repositories/trials.ts";
import { Turns } from "./repositories/turns.ts";

/** The port over an engine: the same repositories whichever it is. */
export function serviceStore(engine: Engine): ServiceStore {
  const directory = new Directory(engine);
  const queue = new JobQueue(engine);
  const turns = new Turns(engine);
  return {
    createOrg: (row) => directory.createOrg(row),
    orgByTag: (tag) => directory.orgByTag(tag),
    orgById: (id) => directory.orgById(id),
    orgs: (page) => directory.orgs(page),
    forOrg: (id) => orgStore(engine, id),
    orgOfRecord: (kind, id) => directory.orgOfRecord(kind, id),
    orgOfJob: (id) => directory.orgOfJob(id),
    orgOfToken: (id) => directory.orgOfToken(id),
    orgOfClaim: (name) => directory.orgOfClaim(name),
    tokenByHash: (hash) => directory.tokenByHash(hash),
    claimJobs: (owner, limit, now, leaseUntil, kinds) => queue.claim(owner, limit, now, leaseUntil, kinds),
    claimJob: (org, id, owner, now, leaseUntil) => queue.claimOne(org, id, owner, now, leaseUntil),
    renewJobs: (owner, ids, leaseUntil) => queue.renew(owner, ids, leaseUntil),
    jobsAcrossOrgs: (options) => queue.list(options),
    takeTurn: (name, owner, now, until) => turns.take(name, owner, now, until),
    endTurn: (name, owner) => turns.end(name, owner),
    meter: (name, amount, now, seconds) => turns.use(name, amount, now, seconds),
    forgetOver: (before) => turns.forget(before),
    setting: (name) => directory.setting(name),
    putSetting: (name, value) => directory.putSetting(name, value),
    audit: new AuditRepository(engine, WORKSPACE_CHAIN),
    removal: new OrgRemoval(engine),
    renameOrg: (id, tag, line) => renameOrg(engine, id, tag, line),
    close: () => engine.close(),
  };
}

function orgStore(service: Engine, org: string): OrgStore {
  const engine = service.forOrg(org);
  return {
    org,
    records: new RecordRepository(engine, org),
    blobs: new BlobRepository(engine, org),
    traces: new TraceRepository(engine, org),
    search: new SearchRepository(engine, org),
    attributes: new AttributeRepository(engine, org),
    trials: new TrialRepository(engine, org),
    jobs: new JobRepository(engine, org),
    ledger: new LedgerRepository(engine, org),
    audit: new AuditRepository(engine, orgChain(org)),
    journals: new JournalRepository(engine, org),
    tokens: new TokenRepository(engine, org),
    deliveries: new DeliveryRepository(engine, org),
    opens: new OpenRepository(engine, org),
    // A claimed name is refused to every other org: that it is taken must be seen.
    claims: new ClaimRepository(service, org),
  };
}
