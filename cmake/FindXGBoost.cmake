# Debian 12's CMake package of XGBoost names a program that its library package does not have.
find_path(XGBOOST_INCLUDE_DIR xgboost/c_api.h)
find_library(XGBOOST_LIBRARY xgboost)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XGBoost DEFAULT_MSG XGBOOST_LIBRARY XGBOOST_INCLUDE_DIR)
if(XGBoost_FOUND AND NOT TARGET XGBoost::XGBoost)
  add_library(XGBoost::XGBoost UNKNOWN IMPORTED)
  set_target_properties(XGBoost::XGBoost PROPERTIES IMPORTED_LOCATION ${XGBOOST_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${XGBOOST_INCLUDE_DIR})
endif()
