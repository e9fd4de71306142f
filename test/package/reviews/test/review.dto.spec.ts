import { expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ReviewCreation, ReviewChange } from '../src/review.dto.js';

const faultsOf = (type: new () => object, value: object) =>
  validateSync(plainToInstance(type, value)).map(({ property }) => property);

it.each([1, 5])('accepts the rating %d', (rating) => {
  expect(faultsOf(ReviewCreation, { petId: 1, rating, text: 'Friendly.' })).toEqual([]);
});

it.each([0, 6, 1.5, '5', null])('refuses the rating %j', (rating) => {
  expect(faultsOf(ReviewCreation, { petId: 1, rating, text: 'Friendly.' })).toEqual(['rating']);
  expect(faultsOf(ReviewChange, { rating })).toEqual(['rating']);
});

it('changes nothing that is omitted', () => {
  expect(faultsOf(ReviewChange, {})).toEqual([]);
});
