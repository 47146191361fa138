/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const RUN_QUESTIONS: Readonly<Record<string, string>> = {
  start_run:
    "how do I start a run | how do I test my agent | run the evaluation again | evaluate the new version | how can I run only some tasks | how do I rerun failed tasks | start an experiment | how do I resume a broken off run | run the benchmark | repeat the last run | how do I try each task several times | how do I test version 2 | run it again with three tries | only rerun what failed | kick off an evaluation | let the agent try the tasks | how do I set the time limit of a try | give each trial more time | change the timeout of trials | choose which tasks are run | how do I run both versions | test my agent now | how do I evaluate a change | run the tests again",
  finish_run:
    "how do I finish a stopped run | count a run that broke off | land an unfinished run | keep the results of a run that crashed",
  run_groups_list:
    "list the runs | which runs have we done | show past evaluations | history of experiments | what was run last week | show all results so far | which evaluations are finished | recent runs | runs of version 2 | list what was run this week | which runs were made | what did we run so far | past results | show all evaluations from this month | which evaluations did we do last week | list every run | how many times did we evaluate version 2 | what was the last thing we ran",
  live_runs:
    "is a run going on right now | what is running | which evaluations are in progress | is the agent being tested at the moment | are any experiments active | current runs | what is happening right now | is anything running | what is going on at the moment | is someone running something | which runs are under way | is the agent being evaluated now | what is the system doing | are any trials still running | does any run still go on",
  compare_runs:
    "compare two run groups | compare these runs paired by task | diff of two evaluations with confidence | is my new agent better than the old one | did the new prompt help | how did the second version do against the first | which version is better | what did we lose with the new version | what is worse now | where did it get worse | did anything break | has it improved | did we make progress | what is the difference between version 1 and 2 | how sure are you about the difference | is that drop real | should we release it | are we ready to ship | which tasks did the last version break | what changed since the last version | is the new one worth it | where does version 2 lose | are today's results different from last week's | is it safe to go live | which version should we put live | which version should we use from now on | did anything break after the release | is the newest version good enough to replace the old one | did quality go up or down | are we better than last month | how good is the latest build compared with production | what did we break | what got fixed by the new version | is the candidate an improvement | which tasks did the new version win | show the differences between the last two runs | did the change help or hurt | show me tasks that only version 1 passes | which tasks does only the new version solve | is version 2 worse at cancelling orders | how do I compare two runs | how do I compare two versions | compare the two most recent runs | compare my two agents | can I trust that difference or is it noise | is the gap between the versions real or noise | can we trust the comparison",
  compare_providers:
    "how do I compare models | try gpt against claude on the same tasks | which model would be best for my tasks | start a comparison of providers | how do I compare two models | run the same tasks with another model | which of the two models should I use | try another model | how do I compare gpt with claude | put two models side by side | how do I compare claude and gpt on our tasks | which model is best for us",
  providers_get:
    "which models can I compare | which providers are available | is there an api key for openai | what models are offered | list provider pins | which models can I choose from | what models are there to compare | which llms can be used | which models are available | do we have a model set up | what models does this support",
  comparisons_list:
    "which model comparisons were made | list provider comparisons | did we compare models before | did we compare models already | which models were compared",
  provider_comparison:
    "how did the models compare | which model did best in the comparison | which provider is cheapest | gpt versus claude results | which llm is better on our tasks | read the provider comparison | which model is the fastest | which provider was flaky | how did the two models do | which of the models came out better | was one provider slower",
  clean_runs:
    "which runs are clean | is there a run in which every trial is valid | newest clean result of the primary agent | which results can I rely on | which runs had no broken trials | was the last run clean | runs without infrastructure trouble",
  last_run:
    "what was the last run on this environment | last result on an environment | who ran on this environment last",
  run_group:
    "how did the last run go | what is the pass rate | what was the result of the newest run | how well does my agent do | success rate | what is our score | how is the agent performing | results of the latest evaluation | what percentage of tasks succeeded | what did version 2 score | how good is my agent | show me the last run | how is the bot doing | what is the met rate with its interval | did the last experiment go well | accuracy of the agent | outcome of the evaluation | how often does the agent succeed | how did it go | what is the score now | how did the new version do | results of the last run | how many passed | how many failed | what fraction passed | give me the numbers of the last run | did the last run go well | how did it do today | how good is the agent right now | what is the success rate of the newest version | what percentage of tasks does version 1 pass | what is the met rate of version 2 | how many of the tasks were solved | did the newest run pass | overall result | how well is it doing",
  run_group_versions:
    "which versions could run on these environments | can I run version 1 on the same tasks | which version can be rerun",
  recount_group:
    "how do I recount a run after tasks were retired | count the group again | update the numbers after refusing a task",
  run_group_recounts: "was the group counted again | recounts of a run | numbers before and after the recount",
  regrade_group: "how do I grade a run again | regrade after the checks changed | apply the new checks to old trials",
  run_group_regrades: "what did the regrade change | gradings of a group | which verdicts moved after regrading",
  run_group_levels:
    "do its calls work and are they the right calls | read the run at three levels | does the agent pick the right tools | are the arguments right | what should I change in the agent | is the problem in the calls or in the answers | why does it fail | what kinds of failures happen most often | what is the main reason for failing | most frequent kind of error | what goes wrong and why | which mistake is the most common | how do I make the agent better | what would help most | what should the agent do differently | what is the root cause | what went wrong in the last run | how often did it call the wrong tool | in how many cases were arguments wrong | does it pick wrong tools | what should the developers fix first | what should we work on first",
  runs_post:
    "how do I import results from elsewhere | load a tau2 results file | import an inspect log | upload finished run results | bring in public benchmark results",
  runs_list: "list single runs | runs by environment with their trials | which runs have not ended",
  run_get:
    "read a run | show every trial of the run | trials with their verdicts | details of the newest run | list the trials",
  run_publish: "how do I publish transcripts to langfuse | send the run to our tracing tool | push trials to langsmith",
  run_trace:
    "show me a transcript | what did the agent do step by step | what did the agent say | see one trial | which calls did the agent make in the trial | look at a conversation of the agent | replay a trial | view the trajectory",
  run_reanalyze:
    "how do I analyse a run again | find root causes of an imported run | read the trials again after rules changed",
  jobs_list:
    "list all jobs | what background jobs were there | which jobs ran today | history of background work | did last night's job finish | what ran overnight | is a job stuck | why did the compile job not finish | what jobs ran today | is anything waiting for me to approve | did everything finish | are all jobs done | list the jobs | which jobs are still running | what is the queue doing | did the background work succeed | is there a backlog | which job took longest | is anything broken right now | how long did the jobs take | what is running in the background | are there problems with jobs | show the last jobs | which work is pending | did anything fail overnight | did the nightly job work | what went wrong in the background | is everything done | what has been processed | how do I approve a waiting job | which job needs my approval",
  job_status:
    "how far is the job | status of my job | is the job done | what is the progress of the pipeline | when will the job finish | when will the job be done",
  job_stop:
    "how do I stop a run | abort the evaluation | cancel the running experiment | kill the run | abort what is running | make it stop",
  job_cancel: "how do I cancel a job | stop the pipeline | abort the review job",
  watch_job:
    "how far is the run | how many trials are done | watch the evaluation live | when will the run be finished | progress of the current run | how long until it is done | how far along is the run that is going on | how much is left of the run | when is it done | how much longer will it take | how long until the run is over | when will the evaluation be over | is the evaluation done | has the run finished | is the run over yet | is the test still running | what percentage of the run is done",
  job_audit:
    "who stopped the run | what events did the job have | audit trail of the run | who started the last run | how do I see who did what | who started that run | who cancelled the job",
  job_calls:
    "which calls were made in the run | tools called per trial | which tools did the agent use in the evaluation | which answers did the calls get",
};
