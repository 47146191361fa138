/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const AGENT_QUESTIONS: Readonly<Record<string, string>> = {
  agents_list: "which harnesses are built in | can a run be started with this agent | list agents and harnesses",
  agents_post:
    "how do I connect my agent | add an agent | register my bot | how do I set up an agent that runs by a command | connect an http agent | test an agent from a repository | how do I hook up my own agent | how do I register my bot | connect my own chatbot | how do I add a new agent | how do I add another bot | how do I bring in my own bot | how can I link our assistant | where do I enter my agent's url | add another agent to the workspace | add my bot | how do I connect our assistant | how do I add my own agent written in python | register our agent by its command | how do I let you start my agent",
  agents_first: "make the first agent | how do I get an agent without writing one | try it without an agent of my own",
  agents_get:
    "read an agent | show one agent with its versions and runs | what did this agent run lately | details of my agent",
  agents_patch:
    "how do I change an agent's command | rename my agent | edit the agent | change the model of my agent | update the agent's url | give my agent another name",
  agents_delete: "how do I delete an agent | remove a bot | get rid of an agent for good",
  agent_retire: "how do I hide an agent | retire an old agent | bring back a retired agent",
  agent_probe:
    "how do I probe an agent | does my agent answer at all | test the connection to the agent | check that the agent starts | how do I check that my agent starts | does the agent start at all | see whether the bot responds",
  smoke_agent: "how do I smoke test my agent | try the agent with one trial first | quick sanity check of the agent",
  onboard_agent:
    "how do I onboard a new version in one go | take a new version from connected to compared | do everything for my new version",
  agent_discover: "how do I find out what my agent does | start discovery of the agent | explore the agent's behaviour",
  touched_coverage:
    "is my change covered by tasks | which tasks touch the tools I changed | do we have tests for what the new version changes | coverage of the change",
  agent_discoveries:
    "what did we discover about the agent | how does the agent behave | which tools did the agent never use | findings from asking the agent",
  agent_primary:
    "how do I make an agent primary | choose the default agent | set the main agent | how do I make the newest version the default | which agent is used when I name none | set the default version",
  agent_detect:
    "how is my repository agent started | detect how to run the agent | find the start command in the repository",
  agent_scan:
    "how do I look for new commits | scan the repository for new versions | make versions of new commits | pick up new branches",
  agent_server_repo:
    "name the repository of a tool server | where does the server's code live | set the server's repository",
  agent_server_refs:
    "how do I test a branch of my mcp server | make a pull request a version of the tools | take a commit of the server as a version",
  agent_server_tools: "which tools does the server have at this commit | read a server's tools on a branch",
  agent_main: "choose the main version of the tool server | which server version should others be compared with",
  write_path:
    "does the agent write without reading first | which writes were not checked before | unverified writes | blind updates of the agent | does it change data it has not looked at",
  write_path_count: "count write paths | start counting unverified writes",
  write_path_accept: "accept a write path proposal | record unverified writes as a failure mode",
  agent_versions_post:
    "how do I add a new version of my agent | register version 2 | create a version from a branch | record a new prompt as a version | how do I add version 3 of the agent | upload a new version of the bot | how do I register a new build | we changed the prompt how do I record that as a new version | how do I tell you about a new build",
  agent_version_patch: "how do I retire a version | hide an old version | restore a version",
  agent_version_changes_get:
    "which files changed in this version | what code changed between versions | what did the commit touch | is it a prompt change or a code change | which prompts or tools changed between the two newest versions | what is different in the code of the new version | what did the developers change in the last version",
  agent_version_changes_post: "read the changed files from github | fetch the diff of a version",
  agent_version_skills:
    "keep the prompts of a version | how did the prompt change between versions | store a version's instructions",
  agent_version_tool_texts: "keep the tool descriptions of a version | how did tool descriptions change",
  agent_env_list:
    "which secrets does the agent get | list environment variables of agents | which api keys are set for the agent",
  agent_env_put:
    "how do I give my agent an api key | set an environment variable for the agent | store a secret | my agent needs a password",
  agent_env_delete: "how do I remove a secret | delete an environment variable of the agent",
  vcs_installations_post: "how do I connect github | install the github app | link our repositories",
  vcs_installation_get:
    "which github installation is recorded | is the app installed | which account is the code host connected to",
  vcs_installation_post: "record the github installation | refresh the list of covered repositories",
  vcs_repositories: "list repositories | which repositories can be used | do you see our repo",
  vcs_refs:
    "which branches are there | list pull requests | which tags does the repository have | what commits can I test",
  vcs_unrecorded:
    "which branches have untested commits | what could be tested next | are there new commits without a version | which pull requests were not evaluated | which branches have not been tested | what commits are waiting to be tested | which prs were not evaluated | which pull requests are untested",
};
