import { Preferences } from "./organization/preferences.ts";
import type { RecordKind } from "./record.ts";
import {
  Agent,
  AgentEnv,
  AgentName,
  AgentPrimary,
  AgentSecret,
  ServerTools,
  SurfaceVersion,
  VcsInstallation,
  VcsState,
} from "./records/agents/agents.ts";
import { AgentDiscovery } from "./records/agents/discovery.ts";
import { AgentOnboarding } from "./records/agents/onboarding.ts";
import { AgentProbe } from "./records/agents/probe.ts";
import { WritePathCount } from "./records/agents/write-path.ts";
import { IngestPass, IngestProposal, SeenOperation } from "./records/evidence/after-ingest.ts";
import { AttributeReading } from "./records/evidence/attribute.ts";
import { CorpusItem } from "./records/evidence/corpus.ts";
import { Evidence, EvidenceDraft, EvidenceKey } from "./records/evidence/evidence.ts";
import { Extraction, ExtractionMap } from "./records/evidence/extraction.ts";
import { FacetSpace } from "./records/evidence/facet.ts";
import { FeedbackNote } from "./records/evidence/feedback.ts";
import { NoteProposal, NoteReading } from "./records/evidence/feedback-derive.ts";
import { FigureMark, WeekFigures } from "./records/evidence/figure.ts";
import { Label } from "./records/evidence/label.ts";
import { EvidenceRevision } from "./records/evidence/revision.ts";
import { RollingSpans, RollingTrace } from "./records/evidence/rolling.ts";
import { Statement } from "./records/evidence/statement.ts";
import { MirrorRefusal, RunExport, SentOnce } from "./records/exports/exports.ts";
import {
  CalibrationSet,
  FailureMode,
  FailureModeKey,
  FailureModeProposal,
  HeldSet,
} from "./records/findings/findings.ts";
import { Report, ReportLink, ReportShare, ReportWeek } from "./records/findings/report.ts";
import { RootThread, RootTurn } from "./records/findings/root.ts";
import { ModelCall } from "./records/models/models.ts";
import { Incident, OnlineState } from "./records/online/online.ts";
import { DimensionAxis, DimensionValue } from "./records/ontology/dimension.ts";
import { OntologyHead, OntologyPin, OntologyRevision } from "./records/ontology/ontology.ts";
import { DimensionReading, RelationReading } from "./records/ontology/reading.ts";
import {
  ChatEvent,
  ChatInstall,
  DeliveryConfirm,
  Member,
  MemberEmail,
  OrgSecret,
} from "./records/organization/organization.ts";
import { MemberInvite, MemberSession } from "./records/organization/session.ts";
import { RunAnalysis } from "./records/runs/analysis.ts";
import { RunRecount, RunRegrade } from "./records/runs/grading.ts";
import { RunImport } from "./records/runs/import.ts";
import { ProviderComparison } from "./records/runs/provider.ts";
import { Run, RunGroup } from "./records/runs/runs.ts";
import { AnswerShape, EnvironmentAudit } from "./records/sandboxes/audit.ts";
import { Door, DoorSecret, HttpGrammarRecord } from "./records/sandboxes/doors.ts";
import { RealismRating } from "./records/sandboxes/realism.ts";
import { EnvironmentRevision, WorldRedraw } from "./records/sandboxes/revision.ts";
import { BundleRecord, Environment, Surface, TaskRecord, WorldRecord } from "./records/sandboxes/sandboxes.ts";
import { TaskScript } from "./records/sandboxes/script.ts";
import { ServedRepo } from "./records/sandboxes/served-repos.ts";
import { Worldplan } from "./records/sandboxes/worldplan.ts";
import {
  AnonKey,
  Connector,
  OauthState,
  Rotation,
  Schedule,
  ScheduleFiring,
  Source,
  SourceLabel,
  SourceSecret,
} from "./records/sources/sources.ts";

/** Every kind of record the service keeps, in the order a copy takes them: what others refer to first. */
export const KINDS: readonly RecordKind[] = [
  Preferences,
  Member,
  MemberEmail,
  MemberInvite,
  MemberSession,
  OrgSecret,
  ChatInstall,
  ChatEvent,
  DeliveryConfirm,
  Agent,
  AgentName,
  AgentPrimary,
  AgentSecret,
  AgentEnv,
  AgentProbe,
  WritePathCount,
  AgentDiscovery,
  AgentOnboarding,
  VcsInstallation,
  VcsState,
  ServerTools,
  SurfaceVersion,
  Connector,
  Source,
  SourceSecret,
  AnonKey,
  OauthState,
  Evidence,
  EvidenceKey,
  EvidenceDraft,
  EvidenceRevision,
  RollingTrace,
  RollingSpans,
  AttributeReading,
  FacetSpace,
  Extraction,
  ExtractionMap,
  Label,
  CorpusItem,
  Statement,
  SeenOperation,
  IngestPass,
  IngestProposal,
  WeekFigures,
  FigureMark,
  FeedbackNote,
  NoteReading,
  NoteProposal,
  ModelCall,
  MirrorRefusal,
  SentOnce,
  Surface,
  BundleRecord,
  OntologyRevision,
  OntologyHead,
  OntologyPin,
  DimensionAxis,
  DimensionValue,
  DimensionReading,
  RelationReading,
  HttpGrammarRecord,
  Environment,
  TaskRecord,
  WorldRecord,
  Door,
  DoorSecret,
  ServedRepo,
  EnvironmentRevision,
  WorldRedraw,
  TaskScript,
  EnvironmentAudit,
  AnswerShape,
  RealismRating,
  Worldplan,
  Run,
  RunGroup,
  RunRegrade,
  RunRecount,
  RunAnalysis,
  RunImport,
  RunExport,
  ProviderComparison,
  FailureMode,
  FailureModeKey,
  FailureModeProposal,
  HeldSet,
  CalibrationSet,
  Report,
  ReportShare,
  ReportLink,
  ReportWeek,
  RootThread,
  RootTurn,
  Schedule,
  ScheduleFiring,
  OnlineState,
  Incident,
  Rotation,
  SourceLabel,
];
