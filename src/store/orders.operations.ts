import type { Examples, OperationOptions } from '../openapi/index.js';
import { Order } from './order.dto.js';

const ORDER = { id: 1, petId: 1, status: 'placed', createdAt: '2026-11-21T12:00:00.000Z' };
const APPROVED = { ...ORDER, status: 'approved' };

/** Bodies for placeOrder and changeOrder that work as they stand. */
export const NEW_ORDERS: Examples = { 'For an animal': { petId: 1 } };
export const ORDER_CHANGES: Examples = { Approve: { status: 'approved' }, Deliver: { status: 'delivered' } };

export const PLACE_ORDER: OperationOptions = {
  id: 'placeOrder',
  summary: 'Order an animal',
  description: 'The animal must be available, and becomes pending. Of many who order the same animal at once, one gets it.',
  scope: 'orders:write',
  stability: 'experimental',
  success: {
    status: 201,
    description: 'The order was placed.',
    type: Order,
    headers: ['Location', 'ETag'],
    examples: { 'A placed order': ORDER },
  },
  errors: ['pet_not_found', 'pet_not_available'],
};

export const LIST_ORDERS: OperationOptions = {
  id: 'listOrders',
  summary: 'List orders',
  description:
    'Returns orders of the calling account in ascending order of their identifiers, page by page: while a next page ' +
    'exists, `Link` names it as `rel="next"`.',
  scope: 'orders:read',
  stability: 'experimental',
  success: {
    status: 200,
    description: 'A page of orders.',
    type: [Order],
    listName: 'Orders',
    headers: ['Link', 'ETag'],
    examples: { 'One order': [ORDER], 'No order matches': [] },
  },
  errors: [],
};

export const GET_ORDER: OperationOptions = {
  id: 'getOrder',
  summary: 'Get an order',
  description: 'An order of another account is 404, as one that does not exist.',
  scope: 'orders:read',
  stability: 'experimental',
  success: { status: 200, description: 'The order.', type: Order, headers: ['ETag'], examples: { 'A placed order': ORDER } },
  errors: ['order_not_found'],
};

export const CHANGE_ORDER: OperationOptions = {
  id: 'changeOrder',
  summary: 'Move an order on',
  description:
    'From placed to approved to delivered, or from placed or approved to cancelled. Delivery makes the animal sold, ' +
    'cancelling makes it available again. A status that the order has already changes nothing.',
  scope: 'orders:write',
  stability: 'experimental',
  success: { status: 200, description: 'The order as it is now.', type: Order, headers: ['ETag'], examples: { 'An approved order': APPROVED } },
  errors: ['order_not_found', 'invalid_status_transition'],
};
