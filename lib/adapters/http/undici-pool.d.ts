// undici's entry point loads all of undici. The pool alone is 270 kB smaller in a bundle and loads in a third of the
// time, which is most of a cold start.
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';

  export = Pool;
}
