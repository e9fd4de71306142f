import type { QueryRunner } from 'typeorm';

/** TypeORM declares the property for reading only, but has it written by whoever begins a transaction. */
export type Runner = Omit<QueryRunner, 'isTransactionActive'> & { isTransactionActive: boolean };
