import { isAllowed, type Statement } from '../support/iam.ts';
import { iamRequestsOf } from '../support/table-requests.ts';
import type { AskedOfTable } from '../support/transacting-dynalite.ts';
import { readDoc } from './code-blocks.ts';

/** The statements that a section of a page advises, as IAM would judge what was asked of a table. */
export function documentedPolicy(page: string, section: string) {
  const [, text = ''] = readDoc(`docs/${page}`).split(`## ${section}\n`);
  const [, box = ''] = /```json\n(.*?)```/s.exec(text) ?? [];
  const statements: readonly Statement[] = [JSON.parse(box)].flat();
  const [{ Resource = '' } = {}] = statements;
  return {
    statements,
    allows({ action, by, input }: AskedOfTable): boolean {
      const requests = iamRequestsOf({ action, body: input }, String(Resource));
      return requests.every((request) => {
        const context = { ...request.context, 'aws:userid': [`AROA:${by}`] };
        return isAllowed(statements, { ...request, context });
      });
    },
  };
}
