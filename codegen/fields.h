/* SPDX-License-Identifier: MIT */
/* Fields of JSON objects: strict types and limits, errors that name file, field, value and limit. */
#ifndef CG_FIELDS_H
#define CG_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "io.h"

/* An object and how to speak of it. */
typedef struct cg_object {
    const json_t *json;
    const char *path, *name; /* the file; the prefix of field names, such as "config." */
} cg_object;

/* Text that must be one JSON value without double keys; to be json_decref'ed. NULL: error. */
json_t *cg_json_parse(const char *text, size_t size, const char *path, cg_error *error);

/* Fails over a value of a field: "path: field: value: wanted". */
int cg_json_refuse(const cg_object *o, const char *field, const json_t *value, const char *wanted,
                   cg_error *error);

/* Each looks for the field and leaves *value alone if it is absent, or null where `null` permits
 * that. 1 found, 0 absent, -1 error. */
int cg_json_count(const cg_object *o, const char *field, size_t least, size_t most, bool null,
                  size_t *value, cg_error *error);
int cg_json_real(const cg_object *o, const char *field, double least, double most, float *value,
                 cg_error *error);
int cg_json_flag(const cg_object *o, const char *field, bool *value, cg_error *error);
int cg_json_string(const cg_object *o, const char *field, const char **value, cg_error *error);

/* The dimensions and reals of a config, in the order of an IR file. */
typedef struct cg_field {
    const char *ir;       /* its name in an IR file */
    const char *names[4]; /* its names in a config.json */
    size_t offset;        /* in cg_config: a size_t, or a float */
    double least, most;
    bool real, required;
} cg_field;
enum { CG_FIELDS = 10 };
extern const cg_field cg_fields[CG_FIELDS];

/* "rope_scaling" of an IR file, or one of the objects that a config.json may have it in. */
int cg_json_scaling(const cg_object *parent, const char *field, cg_config *config, cg_error *error);

#endif
