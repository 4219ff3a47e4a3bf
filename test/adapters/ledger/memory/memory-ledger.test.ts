import { createMemoryLedger } from '../../../../lib/adapters/ledger/memory/ledger.ts';
import { describeLedger } from '../ledger-contract.ts';

describeLedger('the ledger of rehearsals', createMemoryLedger);
