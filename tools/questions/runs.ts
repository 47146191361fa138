/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const RUN_QUESTIONS: Readonly<Record<string, string>> = {
  start_run:
    "how do I start a run | how do I test my agent | run the evaluation again | evaluate the new version | how can I run only some tasks | how do I rerun failed tasks | start an experiment | how do I resume a broken off run | run the benchmark | repeat the last run | how do I try each task several times",
  finish_run:
    "how do I finish a stopped run | count a run that broke off | land an unfinished run | keep the results of a run that crashed",
  run_groups_list:
    "list the runs | which runs have we done | show past evaluations | history of experiments | what was run last week | show all results so far | which evaluations are finished | recent runs | runs of version 2",
  live_runs:
    "is a run going on right now | what is running | which evaluations are in progress | is the agent being tested at the moment | are any experiments active | current runs",
  compare_runs: "compare two run groups | compare these runs paired by task | diff of two evaluations with confidence",
  compare_providers:
    "how do I compare models | try gpt against claude on the same tasks | which model would be best for my tasks | start a comparison of providers",
  providers_get:
    "which models can I compare | which providers are available | is there an api key for openai | what models are offered | list provider pins",
  comparisons_list: "which model comparisons were made | list provider comparisons | did we compare models before",
  provider_comparison:
    "how did the models compare | which model did best in the comparison | which provider is cheapest | gpt versus claude results | which llm is better on our tasks | read the provider comparison | which model is the fastest",
  clean_runs:
    "which runs are clean | is there a run in which every trial is valid | newest clean result of the primary agent | which results can I rely on",
  last_run:
    "what was the last run on this environment | last result on an environment | who ran on this environment last",
  run_group:
    "how did the last run go | what is the pass rate | what was the result of the newest run | how well does my agent do | success rate | what is our score | how is the agent performing | results of the latest evaluation | what percentage of tasks succeeded | what did version 2 score | how good is my agent | show me the last run | how is the bot doing | what is the met rate with its interval | did the last experiment go well | accuracy of the agent | outcome of the evaluation",
  run_group_versions:
    "which versions could run on these environments | can I run version 1 on the same tasks | which version can be rerun",
  recount_group:
    "how do I recount a run after tasks were retired | count the group again | update the numbers after refusing a task",
  run_group_recounts: "was the group counted again | recounts of a run | numbers before and after the recount",
  regrade_group: "how do I grade a run again | regrade after the checks changed | apply the new checks to old trials",
  run_group_regrades: "what did the regrade change | gradings of a group | which verdicts moved after regrading",
  run_group_levels:
    "do its calls work and are they the right calls | read the run at three levels | does the agent pick the right tools | are the arguments right | what should I change in the agent | is the problem in the calls or in the answers",
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
  jobs_list: "list all jobs | what background jobs were there | which jobs ran today | history of background work",
  job_status:
    "how far is the job | status of my job | is the job done | what is the progress of the pipeline | when will the job finish",
  job_stop: "how do I stop a run | abort the evaluation | cancel the running experiment | kill the run",
  job_cancel: "how do I cancel a job | stop the pipeline | abort the review job",
  watch_job:
    "how far is the run | how many trials are done | watch the evaluation live | when will the run be finished | progress of the current run | how long until it is done",
  job_audit: "who stopped the run | what events did the job have | audit trail of the run | who started the last run",
  job_calls:
    "which calls were made in the run | tools called per trial | which tools did the agent use in the evaluation | which answers did the calls get",
};
