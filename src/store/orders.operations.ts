import { created, type OperationOptions, pageOf, resource, UNKNOWN_ID } from '../kernel.js';
import { petNotAvailable, petNotFound } from '../pets/index.js';
import { Order } from './order.dto.js';
import { invalidTransition, orderNotFound } from './orders.service.js';

const ORDER = { id: 1, petId: 1, status: 'placed', createdAt: '2026-11-21T12:00:00.000Z' };
const APPROVED = { ...ORDER, status: 'approved' };

export const PLACE_ORDER: OperationOptions = {
  id: 'placeOrder',
  summary: 'Place an order',
  description:
    'Reserves a pet. The pet must be available and becomes pending. Of several concurrent orders for a pet, one succeeds.',
  scope: 'orders:write',
  stability: 'experimental',
  bodyExamples: { 'For a pet': { petId: 1 } },
  success: created(Order, 'The new order.', { 'A placed order': ORDER }),
  errors: [petNotFound(UNKNOWN_ID), petNotAvailable(String(ORDER.petId))],
};

export const LIST_ORDERS: OperationOptions = {
  id: 'listOrders',
  summary: 'List orders',
  description:
    'Returns orders of the calling account in ascending order of `id`. If there is a next page, `Link` has its address as ' +
    '`rel="next"`.',
  scope: 'orders:read',
  stability: 'experimental',
  success: pageOf(Order, 'Orders', 'A page of orders.', { 'One order': [ORDER], 'No matching order': [] }),
};

export const GET_ORDER: OperationOptions = {
  id: 'getOrder',
  summary: 'Get an order',
  description: 'An order of another account is 404.',
  scope: 'orders:read',
  stability: 'experimental',
  success: resource(Order, 'The order.', { 'A placed order': ORDER }),
  errors: [orderNotFound(UNKNOWN_ID)],
};

export const CHANGE_ORDER: OperationOptions = {
  id: 'changeOrder',
  summary: 'Change the status of an order',
  description:
    'Transitions: placed to approved, approved to delivered, and placed or approved to cancelled. Delivery makes the pet sold, ' +
    'cancellation makes it available. Setting the current status changes nothing.',
  scope: 'orders:write',
  stability: 'experimental',
  bodyExamples: { Approve: { status: 'approved' }, Deliver: { status: 'delivered' } },
  success: resource(Order, 'The changed order.', { 'An approved order': APPROVED }),
  errors: [orderNotFound(UNKNOWN_ID), invalidTransition('placed', 'delivered')],
};
