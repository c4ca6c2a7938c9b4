// Circular doubly linked list, embedded in what it links.
#pragma once

#include "driver/kernel/types.h"

struct list_head {
  list_head* next;
  list_head* prev;
};

__always_inline void INIT_LIST_HEAD(list_head* list) {
  list->next = list;
  list->prev = list;
}
__always_inline bool list_empty(const list_head* head) { return READ_ONCE(head->next) == head; }
__always_inline void list_add_tail(list_head* entry, list_head* head) {
  list_head* last = head->prev;
  entry->next = head;
  entry->prev = last;
  last->next = entry;
  head->prev = entry;
}
__always_inline void list_del_init(list_head* entry) {
  entry->prev->next = entry->next;
  entry->next->prev = entry->prev;
  INIT_LIST_HEAD(entry);
}

// Moves all of `list` behind the entries of `head`.
__always_inline void list_splice_tail_init(list_head* list, list_head* head) {
  if (list_empty(list)) return;
  list_head* first = list->next;
  list_head* last = list->prev;
  first->prev = head->prev;
  head->prev->next = first;
  last->next = head;
  head->prev = last;
  INIT_LIST_HEAD(list);
}
