import { BEFORE } from './before.ts';
import { DOUBTS } from './doubts.ts';
import { FLEETS } from './fleets.ts';
import { GATES } from './gates.ts';
import { KEPT_STOPS } from './kept-stops.ts';
import { LISTS } from './lists.ts';
import { MANY_ROLLS } from './many-rolls.ts';
import { OLD_ANSWERS } from './old-answers.ts';
import { OPENING } from './opening.ts';
import { PEOPLE } from './people.ts';
import { ROLLS } from './rolls.ts';
import { STEPS } from './steps.ts';
import { STOPS } from './stops.ts';
import { TAKEN_BACK } from './taken-back.ts';
import { WAY_BACK } from './way-back.ts';

export const SITUATIONS = {
  ...ROLLS,
  ...MANY_ROLLS,
  ...LISTS,
  ...GATES,
  ...PEOPLE,
  ...STEPS,
  ...STOPS,
  ...KEPT_STOPS,
  ...WAY_BACK,
  ...TAKEN_BACK,
  ...BEFORE,
  ...DOUBTS,
  ...OLD_ANSWERS,
  ...FLEETS,
  ...OPENING,
};
