import { randomUUID } from 'node:crypto';
import type { CheckAnswer } from '../../gates/check-answer.ts';
import { NOT_ON_AWS, type SentQuestion } from '../../gates/checks.ts';
import { silent } from '../../gates/gate.ts';
import type { GatePorts } from '../../gates/gates.ts';
import { createSecretReader } from '../credentials/secrets.ts';
import type { OpenSockets } from '../http/network.ts';
import { askUrl } from './ask-url.ts';
import { runCommand } from './run-command.ts';
import { unasked } from './silence.ts';

/** Asks a URL, a Lambda function or a command. Never throws. @param openSockets @default - with proxies alone */
export function createCheckAsker(openSockets?: OpenSockets): GatePorts['check'] {
  const read = createSecretReader();
  return async (check, asked, signal): Promise<CheckAnswer> => {
    const question: SentQuestion = { ...asked, sessionId: randomUUID() };
    const { url, lambda, command, secret, timeoutSeconds } = check;
    try {
      if (command !== undefined) {
        return await runCommand(command, { ...question, timeoutSeconds }, process.env, signal);
      }
      if (lambda !== undefined) {
        // Most rollouts ask no function, so the SDK is loaded with the first question.
        const { invokeFunction } = await import('./invoke-function.ts');
        return await invokeFunction(lambda, question, timeoutSeconds, { signal });
      }
      const key = secret === undefined ? undefined : await read(secret);
      return await askUrl(url ?? '', question, {
        ...{ timeoutSeconds, openSockets, signal },
        ...(key !== undefined && { key }),
      });
    } catch (error) {
      // Nothing was asked: no secret, no SDK, no program.
      return unasked(error);
    }
  };
}

/** The same gates, but no command is ever run: it would see what the function sees. */
export function withoutCommands(gates: GatePorts): GatePorts {
  return {
    ...gates,
    check: async (check, question) =>
      check.command === undefined ? gates.check(check, question) : silent(NOT_ON_AWS),
    hasProgram: async () => false,
  };
}
