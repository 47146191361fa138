import { AgentDiscovery } from "./agents/onboarding/discovery-schema.ts";
import { AgentOnboarding } from "./agents/onboarding/onboarding-schema.ts";
import { AgentProbe } from "./agents/onboarding/probe-schema.ts";
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
} from "./agents/schema.ts";
import { WritePathCount } from "./agents/writes/write-path-schema.ts";
import { IngestPass, IngestProposal, SeenOperation } from "./evidence/after-ingest/after-ingest-schema.ts";
import { AttributeReading } from "./evidence/attributes/attribute-schema.ts";
import { FacetSpace } from "./evidence/attributes/facet-schema.ts";
import { CorpusItem } from "./evidence/corpus/corpus-schema.ts";
import { Extraction, ExtractionMap } from "./evidence/documents/extraction-schema.ts";
import { Statement } from "./evidence/documents/statement-schema.ts";
import { NoteProposal, NoteReading } from "./evidence/feedback/feedback-derive-schema.ts";
import { FeedbackNote } from "./evidence/feedback/feedback-schema.ts";
import { Label } from "./evidence/feedback/label-schema.ts";
import { FigureMark, WeekFigures } from "./evidence/figures/figure-schema.ts";
import { EvidenceRevision } from "./evidence/intake/revision-schema.ts";
import { RollingSpans, RollingTrace } from "./evidence/rolling/rolling-schema.ts";
import { Evidence, EvidenceDraft, EvidenceKey } from "./evidence/schema.ts";
import { MirrorRefusal, RunExport, SentOnce } from "./exports/schema.ts";
import { RootThread, RootTurn } from "./findings/assistant/root-schema.ts";
import { Report, ReportLink, ReportShare, ReportWeek } from "./findings/reports/report-schema.ts";
import { CalibrationSet, FailureMode, FailureModeKey, FailureModeProposal, HeldSet } from "./findings/schema.ts";
import { ModelCall } from "./models/schema.ts";
import { Incident, OnlineState } from "./online/schema.ts";
import { DimensionAxis, DimensionValue } from "./ontology/dimensions/dimension-schema.ts";
import { DimensionReading, RelationReading } from "./ontology/reading-schema.ts";
import { OntologyHead, OntologyPin, OntologyRevision } from "./ontology/schema.ts";
import { Preferences } from "./organization/preferences.ts";
import { ChatEvent, ChatInstall, DeliveryConfirm, Member, MemberEmail, OrgSecret } from "./organization/schema.ts";
import { MemberInvite, MemberSession } from "./organization/session-schema.ts";
import type { RecordKind } from "./record.ts";
import { ProviderComparison } from "./runs/compare/provider-schema.ts";
import { RunAnalysis } from "./runs/grading/analysis-schema.ts";
import { RunRecount, RunRegrade } from "./runs/grading/grading-schema.ts";
import { RunImport } from "./runs/import/import-schema.ts";
import { Run, RunGroup } from "./runs/schema.ts";
import { AnswerShape, EnvironmentAudit } from "./sandboxes/authoring/audit-schema.ts";
import { RealismRating } from "./sandboxes/authoring/realism-schema.ts";
import { Door, DoorSecret, HttpGrammarRecord } from "./sandboxes/doors/doors-schema.ts";
import { EnvironmentRevision, WorldRedraw } from "./sandboxes/environments/revision-schema.ts";
import { Worldplan } from "./sandboxes/plans/worldplan-schema.ts";
import { BundleRecord, Environment, Surface, TaskRecord, WorldRecord } from "./sandboxes/schema.ts";
import { ServedRepo } from "./sandboxes/served-repos/served-repos-schema.ts";
import { TaskScript } from "./sandboxes/tasks/script-schema.ts";
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
} from "./sources/schema.ts";

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
