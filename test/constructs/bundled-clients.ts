/** Text that a bundle has only with the client of AgentCore. */
export const AGENTCORE_CLIENT = 'BedrockAgentCoreControl';

/** Text that a bundle has only with the client of services that have a URL: it alone speaks OAuth. */
export const REST_CLIENT = 'client_credentials';
