/** What the help of every command that talks to a service ends with. */
export const COMMON_HELP = `
Global options can be set in the environment (STEPROLL_ENDPOINT_URL,
STEPROLL_REGION, ...), in a profile or in the configuration that --config names;
docs/cli.md has the table. STEPROLL_TOKEN holds a bearer token.

Exit codes: 0 done, 1 the answer is no, 2 bad input, 3 could not know,
130 interrupted.`;
