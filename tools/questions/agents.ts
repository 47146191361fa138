/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const AGENT_QUESTIONS: Readonly<Record<string, string>> = {
  agents_list: "which harnesses are built in | can a run be started with this agent | list agents and harnesses",
  agents_post:
    "how do I connect my agent | add an agent | register my bot | how do I set up an agent that runs by a command | connect an http agent | test an agent from a repository | how do I hook up my own agent | how do I register my bot | connect my own chatbot | how do I add a new agent | how do I add another bot | how do I bring in my own bot | how can I link our assistant | where do I enter my agent's url | add another agent to the workspace | add my bot | how do I connect our assistant | how do I add my own agent written in python | register our agent by its command | how do I let you start my agent | how do I connect an agent that runs as a shell command | our assistant answers at an http address, how can it be evaluated here | we wrote a bot in typescript, what do I have to do so that you can test it | where do I register the bot that we want to evaluate | how can I put our support assistant under test | my bot runs behind a url, how do I register it | what do I do so that you can call our agent over http | put our agent under test, it is a node script | our assistant is a docker service with an endpoint, how is it hooked up | we have a langgraph agent, how do I bring it in here | how do I tell you how my agent is started | register a chatbot that has an http endpoint | our agent lives in a git repository, how is it put under test | test a bot that is started from a repository | how do I connect an agent that is built from source | the bot is a docker image, can it be tested",
  agents_first: "make the first agent | how do I get an agent without writing one | try it without an agent of my own",
  agents_get:
    "read an agent | show one agent with its versions and runs | what did this agent run lately | details of my agent",
  agents_patch:
    "how do I change an agent's command | rename my agent | edit the agent | change the model of my agent | update the agent's url | give my agent another name | our agent has moved to another address, how do I change it | how do I edit the command that starts the agent | the start command of our bot is wrong, where do I correct it | can I rename an agent that is already connected | change the address of the bot | our agent moved to another address, where do I change that",
  agents_delete:
    "how do I delete an agent | remove a bot | get rid of an agent for good | delete an agent | how can I throw out an agent that we do not need any more | we have stopped working on one of the bots, how do I delete it from the workspace | remove our old bot | can I delete an agent with its versions | delete all my agents | how do I remove an agent that was entered by mistake",
  agent_retire:
    "how do I hide an agent | retire an old agent | bring back a retired agent | archive an agent without deleting it | how do I take an agent off the list and keep its results | we do not use one of the bots at the moment, how can I hide it without losing its runs | unhide an agent | put a retired bot back on the list | we stopped using one of our bots, how do I take it off the list without losing its runs",
  agent_probe:
    "how do I probe an agent | does my agent answer at all | test the connection to the agent | check that the agent starts | how do I check that my agent starts | does the agent start at all | see whether the bot responds | before I start a long run I want to know whether the agent is reachable, how do I check that | how can I find out if my bot starts and answers | check whether our agent responds to one call | can you reach my agent | ping the agent | does my agent answer at all, how do I try that | how do I see whether the agent can be reached before I start a run",
  smoke_agent:
    "how do I smoke test my agent | try the agent with one trial first | quick sanity check of the agent | how can I make a quick trial before the whole evaluation | run one task with my agent to see if everything works | I want to see one trial go through before I pay for a hundred, how do I do that | how do I try my agent on a single task first | try the agent on one task before the whole run",
  onboard_agent:
    "how do I onboard a new version in one go | take a new version from connected to compared | do everything for my new version | a new version of our bot has been built, is there one call that probes, tests and compares it | how do I test and compare a new version with one command | do all steps for a new version at once",
  agent_discover:
    "how do I find out what my agent does | start discovery of the agent | explore the agent's behaviour | how can I have the agent asked what it is able to do | nobody here knows what our agent is capable of, how do I find out | let the agent be explored | interview the agent about its abilities | let the service ask my agent what it can do",
  touched_coverage:
    "is my change covered by tasks | which tasks touch the tools I changed | do we have tests for what the new version changes | coverage of the change | we changed one tool, how do I see whether tests cover the change | are there enough tests for what I changed",
  agent_discoveries:
    "what did we discover about the agent | how does the agent behave | which tools did the agent never use | findings from asking the agent",
  agent_primary:
    "how do I make an agent primary | choose the default agent | set the main agent | how do I make the newest version the default | which agent is used when I name none | set the default version | how do I say which of our agents is the main one | make one agent the default for runs | we have three bots, how do I choose the one that is used when none is named | which of two bots is the main one, where do I set that",
  agent_detect:
    "how is my repository agent started | detect how to run the agent | find the start command in the repository | our agent is in a repository and I do not know its start command, how do I find it | work out from the code how the agent is launched",
  agent_scan:
    "how do I look for new commits | scan the repository for new versions | make versions of new commits | pick up new branches | developers have pushed new commits, how do I have versions made of them | check the code host for new commits of the agent | look into the repository for commits that are no versions yet",
  agent_server_repo:
    "name the repository of a tool server | where does the server's code live | set the server's repository | how do I tell you where the code of our tool server is kept | say in which repository the mcp server lives",
  agent_server_refs:
    "how do I test a branch of my mcp server | make a pull request a version of the tools | take a commit of the server as a version | we changed the mcp server on a branch and want to know what it breaks, how do I test it | how can I test a pull request of the tool server | evaluate the agent against a branch of our tool server",
  agent_server_tools:
    "which tools does the server have at this commit | read a server's tools on a branch | how do I see the tools that the server offers on another branch | list the tools of the mcp server at a commit",
  agent_main:
    "choose the main version of the tool server | which server version should others be compared with | how do I choose which version of the tool server is the baseline | set main of the tool server",
  write_path:
    "does the agent write without reading first | which writes were not checked before | unverified writes | blind updates of the agent | does it change data it has not looked at",
  write_path_count:
    "count write paths | start counting unverified writes | how do I start a check for writes without a read before | look for writes that the agent did not check first",
  write_path_accept:
    "accept a write path proposal | record unverified writes as a failure mode | make a failure mode of unverified writes | the agent changes things without looking, how do I record that as a known failure",
  agent_versions_post:
    "how do I add a new version of my agent | register version 2 | create a version from a branch | record a new prompt as a version | how do I add version 3 of the agent | upload a new version of the bot | how do I register a new build | we changed the prompt how do I record that as a new version | how do I tell you about a new build | we have a new prompt, how do I test it as a version of its own | how do I add the build of today as another version | how can I register a new version of our agent by its commit | we retrained our bot and want it beside the old one, what do I do | add a version to an agent | how do I submit a new version | a new build of our agent came out, how do I enter it | how do I have two prompts of one agent as two versions | we have a candidate version, where does it go in | declare the next release of the bot",
  agent_version_patch:
    "how do I retire a version | hide an old version | restore a version | how can I hide a version that nobody uses any more | take an old version of the agent off the list | delete a version of the agent | how do I remove version 1 | bring a retired version back | version 1 is not used any more, how do I hide it | take an old release off the list",
  agent_version_changes_get:
    "which files changed in this version | what code changed between versions | what did the commit touch | is it a prompt change or a code change | which prompts or tools changed between the two newest versions | what is different in the code of the new version | what did the developers change in the last version",
  agent_version_changes_post:
    "read the changed files from github | fetch the diff of a version | how do I have the changed files of a version read from the code host | read what the commit changed for this version",
  agent_version_skills:
    "keep the prompts of a version | how did the prompt change between versions | store a version's instructions | how do I store the prompt that belongs to a version | keep the system prompt beside its version",
  agent_version_tool_texts:
    "keep the tool descriptions of a version | how did tool descriptions change | store the descriptions of the tools that a version sees | how do I keep the tool descriptions that belong to a version",
  agent_env_list:
    "which secrets does the agent get | list environment variables of agents | which api keys are set for the agent | which secrets have we given to the agent | show the names of the environment variables that agents get | what keys does the agent receive at the start",
  agent_env_put:
    "how do I give my agent an api key | set an environment variable for the agent | store a secret | my agent needs a password | my agent calls openai and needs its key, where do I put it | how do I hand a secret to the agent | our bot reads a variable from its environment, how do I set that | give the agent a password without writing it into the command | replace the api key of the agent | the agent asks openai, where do I store its key | where do I leave the password that our agent needs to start | the agent's secret has changed, where do I put the new one | can a secret be changed without a new version",
  agent_env_delete:
    "how do I remove a secret | delete an environment variable of the agent | the agent should not get our openai key any more, how do I take it away | remove an api key from the agent's environment | delete a secret of the agent | how do I unset an environment variable of the agent | the agent has a key that it does not need any more",
  vcs_installations_post:
    "how do I connect github | install the github app | link our repositories | how do we link our github organisation | connect our gitlab | how can I let you read our repositories | we keep the agent's code on github, how do I hook that up | give you access to our repository | our code is at github, what do I do so that you see new commits",
  vcs_installation_get:
    "which github installation is recorded | is the app installed | which account is the code host connected to",
  vcs_installation_post:
    "record the github installation | refresh the list of covered repositories | we added repositories to the github app, how do I refresh the list | read the installation from github again",
  vcs_repositories: "list repositories | which repositories can be used | do you see our repo",
  vcs_refs:
    "which branches are there | list pull requests | which tags does the repository have | what commits can I test | list the branches of our repository | which branches could be tested | show the pull requests of the repository | what tags are there in the repo",
  vcs_unrecorded:
    "which branches have untested commits | what could be tested next | are there new commits without a version | which pull requests were not evaluated | which branches have not been tested | what commits are waiting to be tested | which prs were not evaluated | which pull requests are untested",
};
