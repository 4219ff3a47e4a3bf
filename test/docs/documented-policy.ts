import type { AskedOfTable } from '../support/transacting-dynalite.ts';
import { readDoc } from './code-blocks.ts';

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: string;
  readonly Condition: {
    readonly 'ForAllValues:StringLike': { readonly 'dynamodb:LeadingKeys': readonly string[] };
  };
}

/** The statements that a section of a page advises, as IAM would judge what was asked of a table. */
export function documentedPolicy(page: string, section: string) {
  const [, text = ''] = readDoc(`docs/${page}`).split(`## ${section}\n`);
  const [, box = ''] = /```json\n(.*?)```/s.exec(text) ?? [];
  const statements: readonly Statement[] = JSON.parse(box);
  return {
    allows({ action, by, input }: AskedOfTable): boolean {
      const pk = input.Key?.pk?.S ?? '';
      return statements.some(({ Action, Condition }) => {
        const keys = Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
        return Action === `dynamodb:${action}` && keys.some((key) => isLike(key, pk, `AROA:${by}`));
      });
    },
  };
}

function isLike(key: string, pk: string, userId: string): boolean {
  const parts = key.replace(`\${aws:userid}`, userId).split('*');
  const escaped = parts.map((part) => part.replaceAll(/[^\w#:-]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's').test(pk);
}
