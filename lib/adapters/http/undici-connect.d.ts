// What undici's pool opens its sockets with. It is among what the pool loads anyway.
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';

  export = buildConnector;
}
