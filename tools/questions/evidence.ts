/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const EVIDENCE_QUESTIONS: Readonly<Record<string, string>> = {
  evidence_post:
    "how do I upload traces | send my logs | push sessions | add evidence | how do I get my data in | upload an openapi file | import conversations | which format do traces need | load a database export | how do I import from a csv | how do I give you our conversations | how do I upload a pdf with our policies | add more traces | upload a document | how do I get our chat logs into this | how can I hand over a trace file | where do I put my traces | how do I submit conversations | what is the way to bring in new recordings | how do we send you production traffic | upload conversations | how do I send data | how can I add data | I have a folder of jsonl files from our agent, how do I get them in | how can I add the conversations of last week | where do I upload our logs | how do I send a file with traces | we have an openapi file of our system, how do I give it to you | upload more traces | our agent writes logs to disk, what do I do to have them read | how do I add new traces to what is there | how do I import a csv of conversations | I have a directory of chat logs, which command gets them in | how do I hand over a list of the tools the agent has | we exported our conversations to a file, what now | how do I load a database dump so that the simulated system begins with those rows | our database export should be the starting data of the fake system, how | how do I fill the sandbox with the rows of a csv export | we have the tables of the real system as a file, can the fake one start from them | give the fake world real rows to begin with | load our product table into the simulator | the fake shop should contain the same customers and orders as our export | send our api description",
  evidence_list:
    "how many traces do we have | what evidence is stored | list uploaded files | how many sessions are recorded | how much data do we have | what did we upload | which trace batches are there | what recordings exist | how many conversations do we have | number of tool calls in the evidence | which documents were uploaded | how many traces do I have | how many conversations did you read | what data do you have from us | which documents have been uploaded | which files did we upload | how many recordings are there | what evidence is there | which agent produced these traces | what have I uploaded so far | how much data is there | show my uploads | how large is our dataset | how many tool calls are in my traces | number of calls stored | what formats did you receive | in which format did our traces come | how many records came in with the last upload | which format was our export recognised as | total number of recorded tool calls | count of stored conversations | how many chats have you got from us | how much of our data have you read | which uploads do you have | number of traces in the store | what files have you received from us | how many sessions do you hold | do you have any of our data | what was in the files that we gave you | how many logs are stored | total traces | what data have we given you | which data do you base this on | on how many conversations is this based | amount of data in here | how many interactions were uploaded | traces count | how many log files did we send | how many records do you have of us | how much evidence is there | what is the data made of | which formats do our uploads have",
  corpus_post:
    "add public requests | store public questions people ask agents | how do I add questions that people ask in public | put public requests into the corpus",
  corpus_get: "what is in the corpus | how many public requests are on record | which licences does the corpus have",
  corpus_derive:
    "derive use cases from the corpus | read the public requests | how do I get use cases out of public requests | find use cases in the corpus",
  corpus_policy_get:
    "does public demand shape our datasets | what is the corpus policy | do public requests influence our tasks",
  corpus_policy_put:
    "let public demand shape the datasets | set the corpus policy | public requests should not influence our tasks, how do I set that | decide whether public demand counts",
  pipeline_post:
    "how do I build tasks from traces | compile my traces into a world | run the pipeline | build the environment | create a benchmark from my logs | turn traces into tests | how do I make the fake world | how do I make tests out of our logs | make tasks from our traces | turn our logs into a benchmark | the traces are uploaded, how do I get tasks from them | how do I make a sandbox out of my traces | what do I call to turn sessions into a benchmark | how do I compile the traces | I have uploaded sessions and want test cases from them, what do I run | build everything from the evidence | how do I get a fake world from our logs | our real system has changed and the fake one still behaves as before, what do I do | a tool has got new fields since the world was made, how does the fake one learn them | how do I make a fake system out of our recordings | we sent new traces, how do I get them into the simulated world | bring the simulator up to date with what the system does today | I uploaded my logs and now what, how do I get tests | the fake api is outdated | compile a world from what I uploaded | our api was extended, the copy has to follow",
  pipeline_get:
    "did the pipeline run | list pipeline runs | what did the last pipeline make | when was the pipeline last run | status of the pipeline | did the build of the tasks work | what came out of the last pipeline run",
  evidence_get:
    "read an evidence record | show one batch of traces | what is in the last upload | show a trace | what were the first requests",
  evidence_assign:
    "say which agent traces belong to | assign evidence to a version | mark evidence as superseded | replace an old upload | I uploaded traces under the wrong version, how do I correct that | how do I say which version of the agent made these traces | an upload should be replaced by a newer one, how do I mark that | say that traces come from production | an upload was wrong, how do I take it out of use | set the agent that traces are from",
  reconvert_evidence:
    "convert pulled traces again | reconvert the vendor's traces | you read a new version of our format now, how do I have the old traces converted again | read traces of a source anew after an update",
  evidence_toolspec:
    "which values do parameters take | how are tool parameters used | what arguments are passed to the tools | which values does a parameter have in the traces | what values does the status parameter take | which arguments do calls pass | typical arguments of a tool | which parameters does a tool usually receive | with what arguments is the search tool called | what inputs do the tools get | which values are passed most often | which options of the tool do calls use | with which arguments is a tool called in the traces",
  evidence_attributes_post:
    "file attributes of traces | tag traces with fields | store what was read of traces | I know the country of each conversation, how do I add that to the traces | how do I attach my own fields to traces",
  evidence_attributes_get:
    "which attributes do the traces have | what was read of each trace | trace by trace attributes | list the attributes trace by trace",
  evidence_extract:
    "how do I read attributes out of traces | extract facts from documents | let the evidence be read | how do I have facts read out of our policy document | let a document be read for rules | read fields from every trace",
  evidence_extraction_get:
    "what did the documents contribute | which statements were taken from documents | what was learned from the docs | what rules were taken out of our policy document | what did you learn from our documents | which policies were found in the docs | which documents did we give you and what did you take out of them | what was read in our documents | what did you learn from the handbook that we uploaded | what rules did you find in our documents",
  evidence_re_extract:
    "read documents anew | extract documents again | the policy document was changed, how do I have it read again | read the documents a second time",
  facets_post:
    "how do I group traces | cluster the sessions | find groups of similar conversations | how can I sort our conversations into groups | I want to see which kinds of conversations there are, how do I cluster them | cluster the traces",
  facets_list:
    "which groupings of traces are there | list clusters | are the traces clustered | have the conversations been grouped yet | show the groupings that were made",
  facets_get:
    "read a grouping | show the groups of traces | what clusters do the conversations form | which groups did the clustering find | show me the clusters of conversations with examples",
  evidence_match:
    "how many traces match a selection | filter traces by attribute | search in the traces for words | find sessions by a filter | find conversations where the customer wanted a refund | which traces talk about delivery | show sessions with an error | search the logs for a word | traces in which someone complained | conversations with the word refund | find the conversations with angry customers | show conversations where a refund failed | how do I search the traces for a word | how can I filter sessions by an attribute",
  worldplan_post:
    "make a plan from selected traces | mint a worldplan | build tasks from some traces only | how do I make tasks from chosen traces only | I want tests from the conversations of one customer group, how do I choose them",
  worldplan_coverage:
    "make plans that cover all traces | mint worldplans that cover a record | how do I make plans so that every kind of trace is in one | cover the whole record with plans",
  after_ingest_get:
    "what does the new evidence call for | are there proposals after the upload | is there something new in the traces | do new traces need a rebuild | which new operations appeared | is the sandbox up to date with our traces | was the newest evidence used already | do we have to compile again",
  after_ingest_post:
    "look through new evidence now | start a pass over new traces | I have just uploaded more traces, how do I have them looked through at once | look at the new traces without waiting",
  after_ingest_accept:
    "accept a proposal | do what was proposed after new evidence | how do I agree to what you propose after the upload | the new traces led to a proposal that is right, how do I take it over | accept the proposed rebuild",
  after_ingest_dismiss:
    "dismiss a proposal | ignore what was proposed after ingest | you proposed something after the upload that I do not want, how do I get rid of it | reject a proposal that came after an upload",
  org_changes_get:
    "what changed recently | what happened yesterday | what is new | recent activity | what changed in the workspace | who changed the environment | history of changes | what happened this week | changes since monday | activity log | what did my colleagues do | has anyone changed the settings recently | what happened overnight | what changed while I was away | what is new since yesterday | who changed something | latest changes | who did what last week | what did people do in here | when was something last changed | show recent edits | who changed the budget | was anything changed in the settings | what happened while I was on vacation | what did I miss last week | who changed the org settings recently | what was altered in the last days | show the audit log | who did what in here | which actions were taken yesterday | what has been modified lately | tell me the latest activity | recent events in the workspace | what did the team do this week | who touched the configuration | audit trail of the workspace | has anyone raised the spending limit lately | was anybody working in here yesterday | what was done today | what is different since last week | what has changed in the last few days | who edited what | what did others do while I was away | latest actions | what has been altered since yesterday | what is different in here from last week",
  failure_mode_proposals:
    "what feedback did people give | read the feedback notes | what do users complain about | which complaints came in | show comments from people | what did people say about the agent | what did users report | what have people reported | which complaints are waiting to be dealt with | what are users unhappy about | what negative feedback did we get | feedback from customers | what did the support team report | latest complaints | what do people say about our bot | which reports came from people | comments on the agent's answers | complaints | what are people complaining about | what feedback is there | which remarks did users leave | complaints of customers that nobody has looked into | what has been said about the agent by people | what have testers and users told us about the agent",
  record_feedback:
    "how do I leave feedback | note that an answer was wrong | write down what a person said | save a comment | a customer complained about an answer, where do I write that down | how do I pass on what a user told us | how can our support people note what went wrong | leave a comment on a conversation | give feedback on an answer | where do I write down that I did not like an answer | one of our testers has a remark on what the bot said, where does it go",
  make_failure_modes:
    "the agent does this wrong again and again | make a failure mode of a note | we see the same mistake in several comments, how do I make a failure mode of them | turn a comment into a known failure",
  reports_ledger: "how much feedback was read | how many notes are waiting | count the feedback",
  feedback_retire:
    "take a note off the list | delete feedback | remove a comment | a comment was wrong, how do I take it away | delete a comment | how do I delete a note that somebody left | remove a piece of feedback | delete all feedback | a comment was wrong, how do I take it off",
  feedback_derive:
    "derive proposals from feedback | what does the feedback speak for | turn feedback into criteria | how do I turn complaints into checks | what follows from the feedback of our users, have it worked out | make criteria from comments",
  statements_list: "what did people state about how the agent is used | list statements",
  statements_post:
    "say how my agent is used | describe our use cases in words | tell you what the agent is for | how do I tell you what our agent is used for | where can I describe our use cases | write down in words what users want from the agent",
  statements_derive:
    "read a statement into use cases | derive use cases from a statement | how do I get use cases from what I wrote about the agent | take use cases out of a description",
  labels_get:
    "which traces were labelled | how many labels do we have | which traces were marked wrong | human ratings of traces | thumbs up and down | share of good traces in production | which conversations got a thumbs down | what did people rate badly | show the ratings | which conversations have been labelled as bad | which traces did people rate | how many sessions were rated by hand | did somebody mark conversations as bad | how many traces have a label by a person",
  labels_post:
    "how do I label traces | mark a trace as wrong | send thumbs down by webhook | upload corrections | how do I rate a conversation | give a thumbs up | say that a conversation went wrong | label by hand | how can our reviewers say which conversations went wrong | how do I store a human verdict on a trace | how do I mark a conversation as good | a person looked at the traces, how do I enter the results | rate a session with thumbs up | how do I send user ratings by an api | a conversation went badly, how do I mark it | how do I say of a recorded session that the agent was right | I read some chats and want to put good or bad on each | put a thumbs down on a session | how do I give a verdict of my own on a recorded conversation | we want people to rate the recordings, how do their ratings get in | where can a person note that a dialogue was wrong",
  labels_policy_get:
    "are tasks mined from production traces alone | what is the labels policy | from which traces are tasks made | is test traffic left out of the tasks",
  labels_policy_put:
    "mine tasks from production traces only | set the labels policy | only production traces should become tasks, how do I set that | how do I exclude test traffic from the tasks",
  org_records: "how many records of each kind are there | list all kinds of records | ids of everything stored",
  org_record_get: "read a record as stored | raw json of a record | digest of a stored record",
};
