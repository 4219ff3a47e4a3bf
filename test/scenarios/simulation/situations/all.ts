import { GATES } from './gates.ts';
import { LISTS } from './lists.ts';
import { PEOPLE } from './people.ts';
import { ROLLS } from './rolls.ts';
import { WAY_BACK } from './way-back.ts';

export const SITUATIONS = { ...ROLLS, ...LISTS, ...GATES, ...PEOPLE, ...WAY_BACK };
