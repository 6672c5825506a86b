"""Methods that Keras's layers call on themselves, and tfcompat never calls.

Made by tests/layers/render_hooks.py.
"""

# fmt: off
UNUSED = {
    "Layer": frozenset({
        "_autographed_call", "_cast_single_input", "_dedup_weights", "_expects_context_arg",
        "_functional_construction_call", "_gather_children_attribute", "_get_existing_metric", "_get_input_masks",
        "_get_node_attribute_at_index", "_get_propagated_call_context_arguments", "_get_unnested_name_scope",
        "_handle_activity_regularization", "_handle_weight_regularization", "_infer_output_signature",
        "_init_call_fn_args", "_instrument_layer_creation", "_keras_tensor_symbolic_call", "_maybe_cast_inputs",
        "_maybe_create_attribute", "_set_connectivity_metadata", "_set_mask_keras_history_checked",
        "_set_mask_metadata", "_should_cast_single_input", "_should_use_autograph", "_track_variable", "get_input_at",
        "get_output_at",
    }),
    "BatchNormalization": frozenset({
        "_dtensor_calculate_mean_and_var", "_dtensor_no_sync_calculate_mean_and_var",
        "_dtensor_sync_calculate_mean_and_var", "_renorm_correction_and_moments", "_support_zero_size_input",
    }),
    "ConvLSTM1D": frozenset({
        "add_update",
    }),
    "ConvLSTM2D": frozenset({
        "add_update",
    }),
    "ConvLSTM3D": frozenset({
        "add_update",
    }),
    "Discretization": frozenset({
        "_reset_state_wrapper",
    }),
    "GRU": frozenset({
        "_create_non_trackable_mask_cache", "_defun_gru_call", "_validate_args_if_ragged", "add_update",
    }),
    "GRUCell": frozenset({
        "_create_non_trackable_mask_cache",
    }),
    "HashedCrossing": frozenset({
        "_check_at_least_two_inputs", "_check_input_shape_and_type",
    }),
    "IntegerLookup": frozenset({
        "_add_trackable", "_convert_to_ndarray", "_ensure_known_vocab_size", "_ensure_vocab_size_unchanged",
        "_expand_dims", "_find_repeated_tokens", "_inverse_document_frequency", "_lookup_dense",
        "_lookup_table_from_file", "_lookup_table_from_tokens", "_num_tokens", "_reset_state_wrapper",
        "_tensor_vocab_to_numpy", "_uninitialized_lookup_table",
    }),
    "LSTM": frozenset({
        "_create_non_trackable_mask_cache", "_validate_args_if_ragged", "add_update",
    }),
    "LSTMCell": frozenset({
        "_create_non_trackable_mask_cache",
    }),
    "Lambda": frozenset({
        "_parse_function_from_config", "_serialize_function_to_config",
    }),
    "Normalization": frozenset({
        "_reset_state_wrapper",
    }),
    "RNN": frozenset({
        "_validate_args_if_ragged", "add_update",
    }),
    "RandomBrightness": frozenset({
        "_brightness_adjust", "_check_factor_range", "_set_factor", "_set_value_range",
    }),
    "SimpleRNN": frozenset({
        "_validate_args_if_ragged", "add_update",
    }),
    "SimpleRNNCell": frozenset({
        "_create_non_trackable_mask_cache",
    }),
    "StringLookup": frozenset({
        "_add_trackable", "_convert_to_ndarray", "_ensure_known_vocab_size", "_ensure_vocab_size_unchanged",
        "_expand_dims", "_find_repeated_tokens", "_inverse_document_frequency", "_lookup_dense",
        "_lookup_table_from_file", "_lookup_table_from_tokens", "_num_tokens", "_reset_state_wrapper",
        "_tensor_vocab_to_numpy", "_uninitialized_lookup_table",
    }),
    "TextVectorization": frozenset({
        "_reset_state_wrapper",
    }),
}
