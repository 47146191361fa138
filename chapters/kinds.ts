import { AgentDiscovery } from "./agents/discovery-schema.ts";
import { AgentOnboarding } from "./agents/onboarding-schema.ts";
import { AgentProbe } from "./agents/probe-schema.ts";
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
import { WritePathCount } from "./agents/write-path-schema.ts";
import { IngestPass, IngestProposal, SeenOperation } from "./evidence/after-ingest-schema.ts";
import { AttributeReading } from "./evidence/attribute-schema.ts";
import { CorpusItem } from "./evidence/corpus-schema.ts";
import { Extraction, ExtractionMap } from "./evidence/extraction-schema.ts";
import { FacetSpace } from "./evidence/facet-schema.ts";
import { NoteProposal, NoteReading } from "./evidence/feedback-derive-schema.ts";
import { FeedbackNote } from "./evidence/feedback-schema.ts";
import { FigureMark, WeekFigures } from "./evidence/figure-schema.ts";
import { Label } from "./evidence/label-schema.ts";
import { EvidenceRevision } from "./evidence/revision-schema.ts";
import { RollingSpans, RollingTrace } from "./evidence/rolling/rolling-schema.ts";
import { Evidence, EvidenceDraft, EvidenceKey } from "./evidence/schema.ts";
import { Statement } from "./evidence/statement-schema.ts";
import { MirrorRefusal, RunExport, SentOnce } from "./exports/schema.ts";
import { Report, ReportLink, ReportShare, ReportWeek } from "./findings/report-schema.ts";
import { RootThread, RootTurn } from "./findings/root-schema.ts";
import { CalibrationSet, FailureMode, FailureModeKey, FailureModeProposal, HeldSet } from "./findings/schema.ts";
import { ModelCall } from "./models/schema.ts";
import { Incident, OnlineState } from "./online/schema.ts";
import { DimensionAxis, DimensionValue } from "./ontology/dimension-schema.ts";
import { DimensionReading, RelationReading } from "./ontology/reading-schema.ts";
import { OntologyHead, OntologyPin, OntologyRevision } from "./ontology/schema.ts";
import { Preferences } from "./organization/preferences.ts";
import { ChatEvent, ChatInstall, DeliveryConfirm, Member, MemberEmail, OrgSecret } from "./organization/schema.ts";
import { MemberInvite, MemberSession } from "./organization/session-schema.ts";
import type { RecordKind } from "./record.ts";
import { RunAnalysis } from "./runs/analysis-schema.ts";
import { RunRecount, RunRegrade } from "./runs/grading-schema.ts";
import { RunImport } from "./runs/import-schema.ts";
import { ProviderComparison } from "./runs/provider-schema.ts";
import { Run, RunGroup } from "./runs/schema.ts";
import { AnswerShape, EnvironmentAudit } from "./sandboxes/audit-schema.ts";
import { Door, DoorSecret, HttpGrammarRecord } from "./sandboxes/doors-schema.ts";
import { RealismRating } from "./sandboxes/realism-schema.ts";
import { EnvironmentRevision, WorldRedraw } from "./sandboxes/revision-schema.ts";
import { BundleRecord, Environment, Surface, TaskRecord, WorldRecord } from "./sandboxes/schema.ts";
import { TaskScript } from "./sandboxes/script-schema.ts";
import { ServedRepo } from "./sandboxes/served-repos-schema.ts";
import { Worldplan } from "./sandboxes/worldplan-schema.ts";
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
